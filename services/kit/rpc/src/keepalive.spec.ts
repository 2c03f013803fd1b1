import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import { block } from "../test/block.ts";
import { createClient } from "./client.ts";
import { channelOptions } from "./grpc-channel.ts";
import { createGrpcTransport } from "./grpc-transport.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-keepalive-"));
const usual = { ...channelOptions };

afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void Object.assign(channelOptions, usual));

/** Calls a replica in a process of its own. Resolves when the call is in progress. */
async function callReplica(name: string, timeoutMs = 60_000) {
  const address = `unix:${join(folder, name)}`;
  const script = fileURLToPath(new URL("../test/stoppable-replica.ts", import.meta.url));
  const child = spawn(process.execPath, [script, address], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const transport = createGrpcTransport(address, createPeerAuth({}));
  onTestFinished(transport.close);
  const client = createClient(ChatService, transport);
  // The connection is open then.
  await client.countTokens({}, { timeoutMs: 60_000 });
  const begun = once(child.stdout, "data");
  const calledAt = performance.now();
  const call = client.complete({}, { timeoutMs });
  call.catch(() => {});
  await begun;
  return { child, call, calledAt };
}

test("a call outlives a pause of its replica that is shorter than the keepalive timeout", async () => {
  // Pings are sent during the pause.
  channelOptions["grpc.keepalive_time_ms"] = 100;
  const { child, call } = await callReplica("paused");
  child.kill("SIGSTOP");
  const pause = sleep(7_000);
  await Promise.race([pause, call]);
  child.kill("SIGCONT");
  child.stdin.write("respond\n");
  await call;
});

test("a call to a replica that is silent for longer fails before its deadline", async () => {
  channelOptions["grpc.keepalive_time_ms"] = 100;
  channelOptions["grpc.keepalive_timeout_ms"] = 500;
  const { child, call } = await callReplica("silent");
  child.kill("SIGSTOP");
  await expect(call).rejects.toMatchObject({ reason: "unavailable" });
});

test("a call of a process that is blocked until its deadline succeeds if the response has arrived", async () => {
  const timeoutMs = 5_000;
  const { child, call, calledAt } = await callReplica("responding", timeoutMs);
  child.stdin.write("respond\n");
  block(calledAt + timeoutMs + 500 - performance.now());
  await call;
});
