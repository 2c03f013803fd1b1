import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How long to wait for more of a request after its response was sent. */
const lingerMs = 5_000;

/**
 * Ends a response once its request has ended, or has sent nothing for 5 s. A response that ends during
 * an upload must not close the connection: the kernel would reset it, and the client might never read
 * the response. The rest of the request is read and dropped, within the server's time limit for a
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
 * Writes `last` and ends a connection. A connection with unread data would be reset, so the data that
 * the client still sends is read and dropped for 5 s.
 */
export function endSocket(socket: Duplex, last: Buffer): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
