import type { ServerResponse } from "node:http";

/** A client that reads nothing of its response for this long counts as disconnected. */
export const maxStallMs = 30_000;

/** Closes the connection of a response once it transfers no byte for `stallMs`; 0 removes the limit. */
export function limitStall({ socket }: ServerResponse, stallMs: number): void {
  socket?.setTimeout(stallMs);
}

/**
 * Does the same for the rest of a response that was ended but is not fully sent. The limit ends with
 * the response: the connection may then wait for its next request.
 */
export function limitFinalStall(res: ServerResponse, stallMs: number): void {
  if (res.writableLength === 0) return;
  limitStall(res, stallMs);
  // It must run before Node's own listener, which detaches the connection from the response.
  res.prependOnceListener("finish", () => limitStall(res, 0));
}
