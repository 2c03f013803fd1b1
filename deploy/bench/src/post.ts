import { Pool } from "undici";

const path = "/v1/chat/completions";
/**
 * Idle connections are let go before any subject does it, or a request would meet one just closed.
 */
const keepAliveMs = 2_000;

/** As many connections to a subject as it has clients. */
export function openPool(url: string, clients: number): Pool {
  return new Pool(url, { connections: clients, keepAliveMaxTimeout: keepAliveMs });
}

export interface Post {
  pool: Pool;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Posts a chat request, and resolves once the whole answer has come. By `dispatch`, the cheapest
 * way that undici has: the load takes its CPU from the cores that it measures. Raises an Error for
 * an answer that is not a 200, and what `onData` raises.
 */
export function post({ pool, headers, body }: Post, onData: (part: Buffer) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let status = 0;
  let refusal = "";
  pool.dispatch(
    { path, method: "POST", headers: { ...headers, "content-type": "application/json" }, body },
    {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData(controller, part) {
        if (status !== 200) refusal += part.toString("latin1");
        else {
          try {
            onData(part);
          } catch (error) {
            controller.abort(error as Error);
          }
        }
      },
      onResponseEnd() {
        if (status === 200) resolve();
        else reject(new Error(`answered ${status}: ${refusal.slice(0, 200)}`));
      },
      onResponseError(_, error) {
        reject(error);
      },
    },
  );
  return promise;
}
