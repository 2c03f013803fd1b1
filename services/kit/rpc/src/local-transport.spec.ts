import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { block } from "../test/block.ts";
import { readAll, rejectionOf } from "../test/call-outcome.ts";
import { createClient } from "./client.ts";
import { bindService } from "./implementation.ts";
import { createLocalTransport } from "./local-transport.ts";

const log = createLog("silent");

test("a service that this process does not serve is unavailable", async () => {
  const client = createClient(ChatService, createLocalTransport(log));
  for (const error of [
    await rejectionOf(client.complete({})),
    (await readAll(client.stream({}))).error,
  ]) {
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  }
});

test("a response is collected with the young generation once its call has ended", async () => {
  // In a process of its own, since what the test runner allocates would be measured as well.
  const script = new URL("../test/kept-responses.ts", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script)]);
  expect(Number(stdout)).toBeLessThan(4_000_000);
});

test("a response that arrived while the process was blocked is in time", async () => {
  const transport = createLocalTransport(log);
  transport.add(
    bindService(ChatService, {
      async complete() {
        // By another thread of the process.
        await stat(fileURLToPath(import.meta.url));
        return {};
      },
      async *stream() {},
      countTokens: async () => ({}),
      embed: async () => ({}),
    }),
  );
  const call = createClient(ChatService, transport).complete({}, { timeoutMs: 50 });
  block(200);
  await call;
});
