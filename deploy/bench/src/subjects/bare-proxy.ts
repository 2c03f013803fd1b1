import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";

/**
 * The lower bound for a gateway on Node: `node:http` in, undici's `dispatch` out. It streams
 * requests and responses through and does nothing else. `BARE_PROXY_UPSTREAM` is the provider's
 * URL. Once it listens, it sends its own URL to the parent process over IPC.
 */
const provider = new Pool(process.env.BARE_PROXY_UPSTREAM ?? "");
const server = createServer({ keepAliveTimeout: 75_000 }, forward);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}` });
process.once("SIGTERM", () => process.exit(0));

/** Headers that belong to one connection, or that undici sets itself. */
const hopByHopHeaders = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);

function forward(req: IncomingMessage, res: ServerResponse): void {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name in req.headers) if (!hopByHopHeaders.has(name)) headers[name] = req.headers[name];
  const method = (req.method ?? "GET") as Dispatcher.HttpMethod;
  provider.dispatch({ path: req.url ?? "/", method, headers, body: req }, responseHandler(res));
}

function responseHandler(res: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      res.once("close", () => {
        if (!res.writableFinished) controller.abort(new Error("the client disconnected"));
      });
    },
    onResponseStart(_, status, headers) {
      const { connection, "keep-alive": _keepAlive, ...forwarded } = headers;
      res.writeHead(status, forwarded);
    },
    onResponseData(controller, chunk) {
      if (res.write(chunk)) return;
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
