-- An assistant's message that says nothing is refused by every provider that it is sent back to.
UPDATE turn SET response = '{"role":"assistant","content":""}'
WHERE response IN ('{"role":"assistant","content":null}', '{"role":"assistant"}');
