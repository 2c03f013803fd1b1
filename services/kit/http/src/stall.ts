import type { ServerResponse } from "node:http";

/** A client that takes nothing of its answer for so long is taken as gone. */
export const maxStallMs = 30_000;

/** Lets go of a connection on which no byte moves for so long; 0 is no limit. */
export function limitStall({ socket }: ServerResponse, stallMs: number): void {
  socket?.setTimeout(stallMs);
}

/**
 * The same for what is still to go out of an answer that was ended. The limit goes with the answer:
 * the next one of the connection may be waited for.
 */
export function limitLastStall(res: ServerResponse, stallMs: number): void {
  if (res.writableLength === 0) return;
  limitStall(res, stallMs);
  // Before Node's own listener, which takes the connection from the response.
  res.prependOnceListener("finish", () => limitStall(res, 0));
}
