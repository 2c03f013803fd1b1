import { Pool } from "undici";

const path = "/v1/chat/completions";
/**
 * Shorter than the subjects' own, so that no request uses a connection that a subject is closing.
 */
const keepAliveTimeoutMs = 2_000;

/** Opens a pool with one connection per client. */
export function openPool(url: string, clients: number): Pool {
  return new Pool(url, { connections: clients, keepAliveMaxTimeout: keepAliveTimeoutMs });
}

export interface Post {
  pool: Pool;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Posts a chat request and resolves when the response is complete. Uses `dispatch`, undici's
 * cheapest API, because the load shares the cores with the subjects. Rejects when the status is not
 * 200 and when `onData` throws.
 */
export function post(
  { pool, headers, body }: Post,
  onData: (chunk: Buffer) => void,
): Promise<void> {
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
      onResponseData(controller, chunk) {
        if (status !== 200) refusal += chunk.toString("latin1");
        else {
          try {
            onData(chunk);
          } catch (error) {
            controller.abort(error as Error);
          }
        }
      },
      onResponseEnd() {
        if (status === 200) resolve();
        else reject(new Error(`status ${status}: ${refusal.slice(0, 200)}`));
      },
      onResponseError(_, error) {
        reject(error);
      },
    },
  );
  return promise;
}
