import { once } from "node:events";
import { parseArgs } from "node:util";
import { connectOperator } from "@tollgate/local/operator";
import { WebSocket } from "ws";
import { cpuSeconds } from "./cpu.ts";
import { residentMebibytes } from "./memory.ts";
import { openStage } from "./stage.ts";
import { median, quantile } from "./statistics.ts";
import type { Gateway } from "./subject.ts";
import { startAll, startFleetGateway } from "./tollgate.ts";

/**
 * `npm run bench:live`: live transcriptions that stream in real time, all at once. It says whether
 * any event was lost, whether each stream was metered to the second, and what memory that took.
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
/** What the simulator says of so much audio: a partial each half second, a final each two. */
const expectedEvents = seconds * 2 + Math.ceil(seconds / 2);

await using stage = await openStage();
for (const start of [
  () => startAll(stage, { database: "all" }),
  () => startFleetGateway(stage, "fleet"),
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
  const waits = live.map(({ lagMs }) => lagMs);
  return (
    `${subject.name}: ${streams} streams of ${seconds} s; ${lost} lost an event; ` +
    `${exact} of ${metered.length} metered to the second; ` +
    `+${grown.toFixed(0)} MiB (${peak.toFixed(0)} in all); ` +
    `${cpu.toFixed(1)} CPU-s; events after the last audio: ` +
    `p50 ${median(waits).toFixed(0)} ms, most ${quantile(waits, 1).toFixed(0)} ms\n`
  );
}

/** Streams in real time, and answers how many events came and how long the last one took. */
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
    const asked = { account: accountId, limit: 1_000, beforeEntryId };
    const page = await operator.client.listLedger(asked);
    quantities.push(
      ...page.entries.filter(({ kind }) => kind === "usage").map((one) => one.quantity),
    );
    beforeEntryId = page.entries.length === 1_000 ? (page.entries.at(-1)?.id ?? "") : "";
  } while (beforeEntryId !== "");
  operator.close();
  return quantities;
}
