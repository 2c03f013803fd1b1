import { quantile } from "../report/statistics.ts";
import type { Subject } from "../subjects/subject.ts";
import { openPool, post } from "./post.ts";
import { bodyOf, type JsonWorkload } from "./workload.ts";

/** What the load measured. */
export interface JsonTimings {
  /** Requests. */
  count: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface RequestParts {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Opens a load of clients that each send a request as soon as they have the previous response.
 * `run` sends requests for so many seconds, and rejects at the first response without `expected`. `vary` changes the headers and the body of each request.
 */
export function openJsonLoad(
  subject: Subject,
  workload: JsonWorkload,
  expected: Buffer,
  vary: (request: RequestParts) => RequestParts = (request) => request,
) {
  const pool = openPool(subject.url, workload.clients);
  const base: RequestParts = { headers: subject.headers, body: bodyOf(workload) };

  async function send(): Promise<void> {
    const chunks: Buffer[] = [];
    await post({ pool, ...vary(base) }, (chunk) => chunks.push(chunk));
    const response = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    if (!response.includes(expected)) throw new Error("the response has other content");
  }

  return {
    async run(seconds: number): Promise<JsonTimings> {
      const timings: number[] = [];
      const startedAt = performance.now();
      const until = startedAt + seconds * 1_000;
      async function client(): Promise<void> {
        for (let sentAt = startedAt; sentAt < until; ) {
          sentAt = performance.now();
          await send();
          timings.push(performance.now() - sentAt);
        }
      }
      await Promise.all(Array.from({ length: workload.clients }, client));
      const tookSeconds = (performance.now() - startedAt) / 1_000;
      return {
        count: timings.length,
        requestsPerSecond: timings.length / tookSeconds,
        p50Ms: quantile(timings, 0.5),
        p99Ms: quantile(timings, 0.99),
      };
    },
    close: () => pool.close(),
  };
}

/** Reads the content that the simulator generates for the workload, as JSON. */
export async function expectedContent(url: string, workload: JsonWorkload): Promise<Buffer> {
  const pool = openPool(url, 1);
  let response = "";
  await post({ pool, headers: {}, body: bodyOf({ ...workload, model: "bench" }) }, (chunk) => {
    response += chunk.toString("utf8");
  });
  await pool.close();
  const { choices } = JSON.parse(response) as { choices: [{ message: { content: string } }] };
  return Buffer.from(JSON.stringify(choices[0].message.content));
}
