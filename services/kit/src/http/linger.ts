import type { IncomingMessage, ServerResponse } from "node:http";

/** How long the rest of an upload that was answered early is read and dropped. */
const lingerMs = 5_000;

/**
 * Ends an answer, but not before its request has ended. An answer that is out before all of an
 * upload has come must not close the connection: that would reset it, and the client might never
 * read the answer. What still comes is read and dropped, for a while.
 */
export function endAfterRequest(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end();
  const timer = setTimeout(() => req.destroy(), lingerMs);
  const end = () => {
    clearTimeout(timer);
    if (!res.writableEnded) res.end();
  };
  req.once("end", end);
  req.once("close", end);
  req.resume();
}
