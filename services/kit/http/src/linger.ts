import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How long more is waited for of a request that was answered early. */
const lingerMs = 5_000;

/**
 * Ends an answer, but not before its request has ended. An answer that is out before all of an
 * upload has come must not close the connection: that would reset it, and the client might never
 * read the answer. What still comes is read and dropped, in the time that the server gives a whole
 * request.
 */
export function endAfterRequest(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end();
  const timer = setTimeout(() => req.destroy(), lingerMs);
  const end = () => {
    clearTimeout(timer);
    if (!res.writableEnded) res.end();
  };
  req.on("data", () => timer.refresh());
  req.once("end", end);
  req.once("close", end);
  req.resume();
}

/**
 * Ends a bare connection with its last words. A client may still be talking, and a connection on
 * which something stays unread is never closed: it is read and dropped, for a while.
 */
export function endSocket(socket: Duplex, last: Buffer): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
