import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** A service's handlers of the requests and WebSocket upgrades that the edge proxies to it. */
export interface ProxiedHandlers {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}
