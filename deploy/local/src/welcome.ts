/**
 * Returns the text that `npm start` prints once the gateway listens. `key` is undefined when the
 * catalog is not the demo catalog.
 */
export function welcomeText({ url, key }: { url: string; key: string | undefined }): string {
  if (key === undefined) return `\nTollgate listens at ${url}/v1. Press Ctrl-C to stop.\n\n`;
  return `
Tollgate listens at ${url}/v1
API key: ${key}   (account "demo", with credit)

The demo models are served by a built-in simulator, which invents its responses. Try:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model":"demo-small","messages":[{"role":"user","content":"Hello"}]}'

  curl ${url}/v1/credits -H "Authorization: Bearer ${key}"

Press Ctrl-C to stop. Wallets and keys are preserved.
`;
}
