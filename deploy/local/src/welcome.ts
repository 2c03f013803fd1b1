/** What a person sees once the gateway runs. Without a key: the catalog is their own. */
export function welcome({ url, key }: { url: string; key: string | undefined }): string {
  if (key === undefined) return `\nTollgate listens at ${url}/v1\n\n`;
  return `
Tollgate listens at ${url}/v1
  key  ${key}   (account demo, with credit)

The demo models are served by the built-in simulator, which invents its answers. Try:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model":"demo-small","messages":[{"role":"user","content":"Hello"}]}'

  curl ${url}/v1/credits -H "Authorization: Bearer ${key}"

Ctrl-C stops it; wallets and keys stay.
`;
}
