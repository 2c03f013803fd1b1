/** What the launcher has started. */
export interface Started {
  url: string;
  /** Undefined when the catalog is not the demo catalog. */
  key: string | undefined;
  /** The one-time link to the console; undefined where it is disabled. */
  signInUrl: string | undefined;
}

/** Returns the text that `npm start` prints once the gateway listens. */
export function welcomeText({ url, key, signInUrl }: Started): string {
  const consoleLine =
    signInUrl === undefined ? "" : `Console: ${signInUrl}   (works once, for 15 minutes)\n`;
  if (key === undefined) {
    return `\nTollgate listens at ${url}/v1. Press Ctrl-C to stop.\n${consoleLine}\n`;
  }
  return `
Tollgate listens at ${url}/v1
API key: ${key}   (account "demo", with credit)
${consoleLine}
The demo models are served by a built-in simulator, which invents its responses. Try:

  curl ${url}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model":"demo-small","messages":[{"role":"user","content":"Hello"}]}'

  curl ${url}/v1/credits -H "Authorization: Bearer ${key}"

Press Ctrl-C to stop. Wallets and keys are preserved.
`;
}
