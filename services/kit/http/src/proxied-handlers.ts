import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** What a service does with the requests, and the WebSocket upgrades, that the edge proxies to it. */
export interface ProxiedHandlers {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}
