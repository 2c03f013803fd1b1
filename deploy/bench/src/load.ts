import { Pool } from "undici";
import { cpuSeconds } from "./cpu.ts";
import type { Subject } from "./subject.ts";

export interface Load {
  name: string;
  clients: number;
  requests: number;
  body: Record<string, unknown>;
}

export interface Figures {
  requestsPerSecond: number;
  /** CPU-seconds for 1,000 requests: of the gateway's processes, and of the database's. */
  gatewayCpu: number;
  databaseCpu: number;
  p50Ms: number;
  p99Ms: number;
  /** To the first byte of the answer's body. */
  firstByteP50Ms: number;
}

/**
 * Sends `requests` requests from `clients` clients, each asking as soon as it has its answer, after
 * a quarter as many that are not counted.
 * Raises an Error when one is not answered with 200, or a stream does not end with `[DONE]`.
 */
export async function measure(subject: Subject, load: Load, databasePid: number): Promise<Figures> {
  const pool = new Pool(subject.url, { connections: load.clients });
  const send = sender(pool, subject, load);
  await sendMany(send, load.clients, load.requests / 4);
  const cpuBefore = [cpuSeconds(subject.pids), cpuSeconds([databasePid])] as const;
  const startedAt = performance.now();
  const timings = await sendMany(send, load.clients, load.requests);
  const seconds = (performance.now() - startedAt) / 1_000;
  const perThousand = 1_000 / load.requests;
  const figures = {
    requestsPerSecond: load.requests / seconds,
    gatewayCpu: (cpuSeconds(subject.pids) - cpuBefore[0]) * perThousand,
    databaseCpu: (cpuSeconds([databasePid]) - cpuBefore[1]) * perThousand,
    p50Ms: quantile(timings, 0.5, "totalMs"),
    p99Ms: quantile(timings, 0.99, "totalMs"),
    firstByteP50Ms: quantile(timings, 0.5, "firstByteMs"),
  };
  await pool.close();
  return figures;
}

interface Timing {
  totalMs: number;
  firstByteMs: number;
}

async function sendMany(
  send: () => Promise<Timing>,
  clients: number,
  requests: number,
): Promise<Timing[]> {
  const timings: Timing[] = [];
  let left = requests;
  async function client(): Promise<void> {
    while (left > 0) {
      left -= 1;
      timings.push(await send());
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  return timings;
}

function sender(pool: Pool, subject: Subject, load: Load) {
  const body = JSON.stringify(load.body);
  const headers = { "content-type": "application/json", authorization: `Bearer ${subject.key}` };
  return async (): Promise<Timing> => {
    const startedAt = performance.now();
    const path = "/v1/chat/completions";
    const answer = await pool.request({ path, method: "POST", headers, body });
    let firstByteMs = 0;
    let tail = "";
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      if (firstByteMs === 0) firstByteMs = performance.now() - startedAt;
      tail = part.subarray(-20).toString("latin1");
    }
    const whole = load.body.stream === true ? tail.endsWith("data: [DONE]\n\n") : tail !== "";
    if (answer.statusCode !== 200 || !whole) {
      throw new Error(`${subject.name}, ${load.name}: answered ${answer.statusCode}`);
    }
    return { totalMs: performance.now() - startedAt, firstByteMs };
  };
}

function quantile(timings: readonly Timing[], part: number, name: keyof Timing): number {
  const sorted = timings.map((timing) => timing[name]).sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
