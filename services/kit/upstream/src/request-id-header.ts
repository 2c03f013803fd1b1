const name = "x-client-request-id";

/**
 * Returns the header that carries a client's own request id in OpenAI's API and compatible ones.
 */
export function requestIdHeader(requestId: string): Record<string, string> {
  return { [name]: requestId };
}

/** Returns the request id in headers that `requestIdHeader` made. */
export function requestIdIn(headers: Readonly<Record<string, string>>): string | undefined {
  return headers[name];
}
