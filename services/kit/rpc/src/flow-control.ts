import { subscribe } from "node:diagnostics_channel";
import type { Http2Session, Http2Stream } from "node:http2";

/**
 * Bytes of requests that may be on their way unread, on a connection and on each of its streams. A
 * trunk carries many calls, and HTTP/2's own 64 KiB are less than one large request: its sender
 * would wait for the receiver's consent after every few frames.
 *
 * Answers keep to `answerWindowBytes`, and connections that are no TCP to what they have: Node
 * takes in nothing of a connection while it writes to it, so that two ends that may both write more
 * than the sockets hold would wait for each other for ever, and a UNIX socket holds few small
 * writes.
 */
export const requestWindowBytes = 1024 * 1024;
/** HTTP/2's own, for a Node whose own is larger. */
export const answerWindowBytes = 65_535;

const widened = new WeakSet<Http2Session>();
let isWidening = false;

/**
 * Gives that window to what reaches the HTTP/2 servers of this process, from the first stream of
 * each connection on. grpc-js has a setting for it in its clients alone.
 */
export function widenServerWindows(): void {
  if (isWidening) return;
  isWidening = true;
  subscribe("http2.server.stream.created", (message) => {
    const { session } = (message as { stream: Http2Stream }).stream;
    if (session === undefined || session.destroyed || widened.has(session)) return;
    widened.add(session);
    if (session.socket.remoteAddress === undefined) return;
    session.settings({ initialWindowSize: requestWindowBytes });
    session.setLocalWindowSize(requestWindowBytes);
  });
}
