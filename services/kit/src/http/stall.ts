import type { ServerResponse } from "node:http";

/** A client that takes nothing of its answer for so long is taken as gone. */
export const maxStallMs = 30_000;

/** Lets go of a connection on which no byte moves for so long; 0 is no limit. */
export function limitStall({ socket }: ServerResponse, stallMs: number): void {
  socket?.setTimeout(stallMs);
}
