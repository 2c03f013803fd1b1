import { subscribe } from "node:diagnostics_channel";
import type { Http2Session, Http2Stream } from "node:http2";

/**
 * The HTTP/2 window of requests, for a connection and for each of its streams. The mux carries many
 * calls on one stream, and the 64 KiB that HTTP/2 starts with are less than one large request: the
 * sender would wait for a window update after every few frames.
 *
 * Responses use `responseWindowBytes`, and connections over anything but TCP use the default
 * for requests too. Node reads nothing from a connection while it writes to it, so that two ends
 * that may both write more than the socket buffers hold would deadlock, and a UNIX socket buffers
 * only a few small writes.
 */
export const requestWindowBytes = 1024 * 1024;
/** The default of HTTP/2, set explicitly since the default of Node may be larger. */
export const responseWindowBytes = 65_535;

const widened = new WeakSet<Http2Session>();
let isWidening = false;

/**
 * Sets `requestWindowBytes` on the HTTP/2 servers of this process, from the first stream of each
 * TCP connection on. grpc-js has a setting for it in its clients only.
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
