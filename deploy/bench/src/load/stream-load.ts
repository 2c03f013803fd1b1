import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../report/statistics.ts";
import type { Subject } from "../subjects/subject.ts";
import { compareChunks } from "./chunk-order.ts";
import { createStreamReader } from "./event-reader.ts";
import { openPool, post } from "./post.ts";
import { bodyOf, type StreamWorkload } from "./workload.ts";

/** What the load measured. */
export interface StreamTimings {
  /** Streams. */
  count: number;
  firstTokenP50Ms: number;
  firstTokenP99Ms: number;
  /** The largest gap between two chunks of a stream. */
  largestGapMs: number;
  lost: number;
  reordered: number;
}

type Seen = Pick<StreamTimings, "largestGapMs" | "lost" | "reordered"> & { firstTokenMs: number };

/**
 * Opens a load of clients that read streams: in `run`, so many each, one after the other. Their starts are spread over the duration of a stream,
 * so that chunks do not all arrive in the same millisecond. `expected` are the chunks of a stream.
 */
export function openStreamLoad(
  subject: Subject,
  workload: StreamWorkload,
  expected: readonly string[],
) {
  const pool = openPool(subject.url, workload.clients);
  const body = bodyOf(workload);
  const streamMs = workload.chunks * workload.gapMs;

  async function read(): Promise<Seen> {
    const startedAt = performance.now();
    const receivedAt: number[] = [];
    const received = await readStream({ pool, headers: subject.headers, body }, () => {
      receivedAt.push(performance.now());
    });
    const gapsMs = receivedAt.slice(1).map((at, index) => at - (receivedAt[index] ?? 0));
    const firstTokenMs = (receivedAt[0] ?? 0) - startedAt;
    const largestGapMs = Math.max(0, ...gapsMs);
    return { firstTokenMs, largestGapMs, ...compareChunks(expected, received) };
  }

  return {
    async run(streamsEach: number): Promise<StreamTimings> {
      const seen: Seen[] = [];
      async function client(_: unknown, index: number): Promise<void> {
        await sleep((index * streamMs) / workload.clients);
        for (let count = 0; count < streamsEach; count += 1) seen.push(await read());
      }
      await Promise.all(Array.from({ length: workload.clients }, client));
      return summaryOf(seen);
    },
    close: () => pool.close(),
  };
}

/** Reads the chunks that the simulator sends. */
export async function expectedChunks(url: string, workload: StreamWorkload): Promise<string[]> {
  const pool = openPool(url, 1);
  const body = bodyOf({ ...workload, model: "bench" });
  const chunks = await readStream({ pool, headers: {}, body }, () => {});
  await pool.close();
  return chunks;
}

async function readStream(
  request: Parameters<typeof post>[0],
  onText: () => void,
): Promise<string[]> {
  const texts: string[] = [];
  const reader = createStreamReader((text) => {
    texts.push(text);
    onText();
  });
  await post(request, reader.push);
  if (!reader.isDone()) throw new Error("the stream ended without [DONE]");
  return texts;
}

function summaryOf(seen: readonly Seen[]): StreamTimings {
  const firstTokens = seen.map(({ firstTokenMs }) => firstTokenMs);
  return {
    count: seen.length,
    firstTokenP50Ms: quantile(firstTokens, 0.5),
    firstTokenP99Ms: quantile(firstTokens, 0.99),
    largestGapMs: Math.max(...seen.map(({ largestGapMs }) => largestGapMs)),
    lost: seen.reduce((sum, { lost }) => sum + lost, 0),
    reordered: seen.reduce((sum, { reordered }) => sum + reordered, 0),
  };
}
