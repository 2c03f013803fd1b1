import fc from "fast-check";
import { expect, test } from "vitest";
import { replaceMembers } from "./json-members.ts";

function replaced(text: string, values: Record<string, string>): string {
  return replaceMembers(Buffer.from(text), values).toString("utf8");
}

test.each([
  ['{"model":"a","x":1}', '{"model":"b","x":1}'],
  [
    '{ "x" : [1, {"model":"in"}] ,\n "model" : "a" }',
    '{ "x" : [1, {"model":"in"}] ,\n "model" : "b" }',
  ],
  ['{"x":"\\"model\\":\\"a\\"","model":null}', '{"x":"\\"model\\":\\"a\\"","model":"b"}'],
  ['{"mod\\u0065l":"a"}', '{"mod\\u0065l":"b"}'],
  ['{"model":"a","model":"c"}', '{"model":"b","model":"b"}'],
  ['{"n":1.50,"model":12 , "m":1e3}', '{"n":1.50,"model":"b" , "m":1e3}'],
  ['{"x":1}', '{"model":"b","x":1}'],
  ["{}", '{"model":"b"}'],
  [" { } ", ' {"model":"b" } '],
])("in %s only the value of the member changes", (text, expected) => {
  expect(replaced(text, { model: '"b"' })).toBe(expected);
});

test("every object has the new values, and all other members as they were", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      fc.constantFrom(0, 2),
      (object, model, spaces) => {
        const values = { model: JSON.stringify(model), limit: "7" };
        const text = replaced(JSON.stringify(object, null, spaces), values);
        const expected = { ...object, model, limit: 7 };
        // A dictionary may have a member "__proto__", which a literal would set as the prototype.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
      },
    ),
  );
});
