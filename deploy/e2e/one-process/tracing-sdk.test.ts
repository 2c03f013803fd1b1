import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sdkModules, startRecorded } from "../src/recorded-modules.ts";
import { chatBody, send } from "../src/request.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-tracing-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Resolves with the SDK's modules that a gateway loads to serve a request. */
async function modulesLoadedWith(env: NodeJS.ProcessEnv): Promise<string[]> {
  const file = join(folder, randomUUID());
  const stack = await startRecorded(file, env);
  const { key } = await stack.newAccount(1);
  const body = chatBody({ stream: true });
  const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
  expect(response.status).toBe(200);
  await stack.stop();
  return sdkModules(file);
}

test("without an address for traces no module of the SDK is loaded", async () => {
  expect(await modulesLoadedWith({})).toEqual([]);
});

test("with an address for traces the SDK is loaded", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  expect(await modulesLoadedWith(env)).not.toEqual([]);
});
