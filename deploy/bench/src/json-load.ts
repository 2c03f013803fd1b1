import { openPool, post } from "./post.ts";
import { quantile } from "./statistics.ts";
import type { Subject } from "./subject.ts";
import { bodyOf, type JsonWorkload } from "./workload.ts";

/** What the load's senders saw. */
export interface JsonTimings {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface JsonLoad {
  /** Sends for so long, and answers what was seen. Raises an Error at the first bad answer. */
  run(seconds: number): Promise<JsonTimings>;
  close(): Promise<void>;
}

export interface Sending {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Clients that each ask as soon as they have their answer. `expected` must stand in every answer.
 * With `vary`, each request has headers and a body of its own.
 */
export function openJsonLoad(
  subject: Subject,
  workload: JsonWorkload,
  expected: Buffer,
  vary: (sending: Sending) => Sending = (sending) => sending,
): JsonLoad {
  const pool = openPool(subject.url, workload.clients);
  const same: Sending = { headers: subject.headers, body: bodyOf(workload) };

  async function send(): Promise<void> {
    const parts: Buffer[] = [];
    await post({ pool, ...vary(same) }, (part) => parts.push(part));
    const answer = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    if (!answer.includes(expected)) throw new Error("answered with other content");
  }

  return {
    async run(seconds) {
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
        requests: timings.length,
        requestsPerSecond: timings.length / tookSeconds,
        p50Ms: quantile(timings, 0.5),
        p99Ms: quantile(timings, 0.99),
      };
    },
    close: () => pool.close(),
  };
}

/** What the simulator says to the workload, as it stands in an answer. */
export async function expectedAnswer(url: string, workload: JsonWorkload): Promise<Buffer> {
  const pool = openPool(url, 1);
  let answer = "";
  await post({ pool, headers: {}, body: bodyOf(workload) }, (part) => {
    answer += part.toString("utf8");
  });
  await pool.close();
  const { choices } = JSON.parse(answer) as { choices: [{ message: { content: string } }] };
  return Buffer.from(JSON.stringify(choices[0].message.content));
}
