import { once } from "node:events";
import { parseArgs } from "node:util";
import { connectOperator } from "@tollgate/local/operator";
import { WebSocket } from "ws";
import { cpuSeconds } from "./cpu.ts";
import { residentMebibytes } from "./memory.ts";
import { median, quantile } from "./statistics.ts";
import type { Gateway } from "./subject.ts";
import { startTestbed } from "./testbed.ts";
import { startAll, startFleetGateway } from "./tollgate.ts";

/**
 * `npm run bench:live`: runs many live transcriptions at once, in real time. Prints how many
 * streams lost an event, how many were metered to the second, and the memory and CPU that they
 * took.
 */
const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "500" },
    seconds: { type: "string", default: "30" },
  },
});
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const bytesPerSecond = 32_000;
const framesPerSecond = 10;
const frame = Buffer.alloc(bytesPerSecond / framesPerSecond, 1);
/** The simulator sends a partial event per half second of audio and a final one per two seconds. */
const expectedEvents = seconds * 2 + Math.ceil(seconds / 2);

await using testbed = await startTestbed();
for (const start of [
  () => startAll(testbed, { database: "all" }),
  () => startFleetGateway(testbed, { database: "fleet" }),
]) {
  process.stdout.write(await measure(await start()));
}

async function measure(subject: Gateway): Promise<string> {
  const before = residentMebibytes(subject.pids);
  const cpuBefore = cpuSeconds(subject.pids);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(subject.pids));
  }, 500);
  const live = await Promise.all(
    Array.from({ length: streams }, (_, index) => stream(subject, index)),
  );
  clearInterval(watch);
  const cpu = cpuSeconds(subject.pids) - cpuBefore;
  const lost = live.filter(({ events }) => events !== expectedEvents).length;
  const metered = await meteredSeconds(subject);
  const exact = metered.filter((quantity) => quantity === BigInt(seconds)).length;
  const grown = peak - before;
  const lags = live.map(({ lagMs }) => lagMs);
  return (
    `${subject.name}: ${streams} streams of ${seconds} s; ${lost} lost an event; ` +
    `${exact} of ${metered.length} metered to the second; ` +
    `+${grown.toFixed(0)} MiB (${peak.toFixed(0)} MiB in total); ` +
    `${cpu.toFixed(1)} CPU-s; events after the last audio: ` +
    `p50 ${median(lags).toFixed(0)} ms, max ${quantile(lags, 1).toFixed(0)} ms\n`
  );
}

/** Streams audio in real time. Resolves with the number of events and the lag of the last one. */
async function stream({ url, headers }: Gateway, index: number) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/audio/transcriptions/stream`, {
    headers,
    perMessageDeflate: false,
  });
  let events = 0;
  socket.on("message", () => {
    events += 1;
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ model: "bench-live", format: "pcm_s16le" }));
  const startedAt = performance.now() + (index % 100);
  for (let sent = 0; sent < seconds * framesPerSecond; sent += 1) {
    const dueMs = startedAt + (sent * 1_000) / framesPerSecond - performance.now();
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    socket.send(frame);
  }
  const finishedAt = performance.now();
  socket.close(1_000);
  await once(socket, "close");
  return { events, lagMs: performance.now() - finishedAt };
}

async function meteredSeconds({ operatorAddress, accountId }: Gateway): Promise<bigint[]> {
  const operator = connectOperator(operatorAddress);
  const quantities: bigint[] = [];
  let beforeEntryId = "";
  do {
    const query = { account: accountId, limit: 1_000, beforeEntryId };
    const page = await operator.client.listLedger(query);
    quantities.push(
      ...page.entries.filter(({ kind }) => kind === "usage").map((one) => one.quantity),
    );
    beforeEntryId = page.entries.length === 1_000 ? (page.entries.at(-1)?.id ?? "") : "";
  } while (beforeEntryId !== "");
  operator.close();
  return quantities;
}
