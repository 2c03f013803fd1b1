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

test("without an address for traces no module of the SDK is loaded", async () => {
  const file = join(folder, "off");
  const stack = await startRecorded(file, {});
  const { key } = await stack.newAccount(1);
  const body = chatBody({ stream: true });
  const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
  expect(response.status).toBe(200);
  await stack.stop();
  expect(await sdkModules(file)).toEqual([]);
});
