/**
 * Returns the header that carries a client's own request id in OpenAI's API and compatible ones.
 */
export function requestIdHeader(requestId: string): Record<string, string> {
  return { "x-client-request-id": requestId };
}
