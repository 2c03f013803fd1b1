import { quantile } from "../statistics.ts";
import { grpcHop, muxHop } from "./grpc-hop.ts";
import type { Hop, HopClient, HopName } from "./hop.ts";
import { httpHop } from "./http-hop.ts";
import { pacedMs, streamMessages } from "./payload.ts";

/** What a client process sends during a measurement. */
export type CallKind = "unary" | "burst" | "paced";

export interface Load {
  kind: CallKind;
  clients: number;
  seconds: number;
}

export interface LoadResult {
  calls: number;
  p50Ms: number;
  p99Ms: number;
}

export type WorkerRequest = { load: Load } | { cpu: true };

const hops: Readonly<Record<HopName, Hop>> = { grpc: grpcHop, mux: muxHop, http: httpHop };

/**
 * One end of a hop in its own process, started as `worker.ts server|client HOP PORT`. It serves one
 * `WorkerRequest` at a time over IPC: a client runs a load, and both report the CPU microseconds
 * that their process has used.
 */
const [role, name, port] = process.argv.slice(2) as ["server" | "client", HopName, string];
const client = role === "client" ? hops[name].connect(Number(port)) : undefined;
if (role === "server") await hops[name].serve(Number(port));
process.on("message", async (request: WorkerRequest) => {
  if ("cpu" in request) process.send?.(cpuUs());
  else if (client !== undefined) process.send?.(await runLoad(client, request.load));
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Each of the clients sends a call as soon as its previous one has ended. */
async function runLoad(hop: HopClient, { kind, clients, seconds }: Load): Promise<LoadResult> {
  const timesMs: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const call = callOf(hop, kind);
  async function runClient(): Promise<void> {
    for (let sentAt = performance.now(); sentAt < until; ) {
      await call();
      const now = performance.now();
      timesMs.push(now - sentAt);
      sentAt = now;
    }
  }
  await Promise.all(Array.from({ length: clients }, runClient));
  return { calls: timesMs.length, p50Ms: quantile(timesMs, 0.5), p99Ms: quantile(timesMs, 0.99) };
}

function callOf(hop: HopClient, kind: CallKind): () => Promise<void> {
  if (kind === "unary") {
    return async () => {
      if ((await hop.unary()) !== 1_000) throw new Error("the response has other content");
    };
  }
  const gapMs = kind === "paced" ? pacedMs / streamMessages : 0;
  return async () => {
    const count = await hop.stream(gapMs);
    if (count !== streamMessages) throw new Error(`the stream had ${count} messages`);
  };
}
