/** Whether a URL is at the usual port of an https host whose name matches. */
export function isHttpsHost(url: string, name: RegExp): boolean {
  const { protocol, hostname, port } = new URL(url);
  return protocol === "https:" && port === "" && name.test(hostname);
}
