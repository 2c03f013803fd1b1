/** Returns a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the command that sends a request with a JSON body and a key to the gateway. */
export function curlOf(url: string, key: string, body: object): string {
  return [
    `curl ${url} \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellWord(JSON.stringify(body))}`,
  ].join("\n");
}
