import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";

/**
 * The floor for a gateway on Node: `node:http` in, undici's `dispatch` out, bodies and answers
 * passed on as they come, and nothing else. It tells its parent when it listens, and where. The
 * provider is at `BARE_PROXY_UPSTREAM`.
 */
const provider = new Pool(process.env.BARE_PROXY_UPSTREAM ?? "");
const server = createServer({ keepAliveTimeout: 75_000 }, forward);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}` });
process.once("SIGTERM", () => process.exit(0));

/** Headers that belong to one connection, or that undici writes itself. */
const ownHeaders = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);

function forward(req: IncomingMessage, res: ServerResponse): void {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name in req.headers) if (!ownHeaders.has(name)) headers[name] = req.headers[name];
  const method = (req.method ?? "GET") as Dispatcher.HttpMethod;
  provider.dispatch({ path: req.url ?? "/", method, headers, body: req }, answering(res));
}

function answering(res: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      res.once("close", () => {
        if (!res.writableFinished) controller.abort(new Error("the client left"));
      });
    },
    onResponseStart(_, status, headers) {
      const { connection, "keep-alive": _keepAlive, ...kept } = headers;
      res.writeHead(status, kept);
    },
    onResponseData(controller, part) {
      if (res.write(part)) return;
      controller.pause();
      res.once("drain", () => controller.resume());
    },
    onResponseEnd() {
      res.end();
    },
    onResponseError() {
      if (!res.headersSent) res.writeHead(502);
      res.end();
    },
  };
}
