import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How long to wait for more of a request after its response was sent. */
const lingerMs = 5_000;
/** How long the rest of a request may take in all. */
const maxLingerMs = 300_000;

/**
 * Ends a response once its request has ended, or has sent nothing for 5 s. A response that ends during
 * an upload must not close the connection: the kernel would reset it, and the client might never read
 * the response. The rest of the request is read and dropped, for five minutes at most.
 */
export function endAfterRequest(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end();
  dropRest(req, () => {
    if (!res.writableEnded) res.end();
  });
}

/** Reads and drops the rest of a request whose response has ended, in the same way. */
export function dropRestOf(req: IncomingMessage): void {
  if (!req.complete && !req.destroyed) dropRest(req, () => {});
}

function dropRest(req: IncomingMessage, onEnd: () => void): void {
  const idle = setTimeout(() => req.destroy(), lingerMs);
  const total = setTimeout(() => req.destroy(), maxLingerMs);
  const end = () => {
    clearTimeout(idle);
    clearTimeout(total);
    onEnd();
  };
  req.on("data", () => idle.refresh());
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
