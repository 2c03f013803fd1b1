import { afterAll, beforeAll, expect, test } from "vitest";
import { jsonOf, postToSimulator, simulatorChatBody } from "../test/client.ts";
import { createCallLog, type RecordedCall } from "./call-log.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.close());

const call = {
  at: 0,
  route: "/v1/chat/completions",
  model: "m",
  stream: false,
  user: null,
  authorized: true,
  body: { some: "body" },
};

async function read(query: string) {
  return jsonOf<RecordedCall[]>(await fetch(`${simulator.url}/_simulator/calls?${query}`));
}

test("a call is listed by its user, with its request and the reported usage", async () => {
  const body = simulatorChatBody({ user: "ann" });
  await postToSimulator(simulator.url, body, { headers: { authorization: "Bearer secret-words" } });
  const calls = await read("user=ann");
  expect(calls).toEqual([
    {
      seq: expect.any(Number),
      at: expect.any(Number),
      route: "/v1/chat/completions",
      model: "sim-small",
      stream: false,
      n: 1,
      user: "ann",
      requestId: null,
      authorized: true,
      traceparent: null,
      vendorHeaders: {},
      contentLength: expect.any(Number),
      status: 200,
      outcome: "completed",
      promptTokens: 3,
      completionTokens: 6,
      bytesSent: 0,
      upload: undefined,
      charactersSent: 0,
      chunksSent: 0,
      body,
    },
  ]);
  expect(JSON.stringify(calls)).not.toContain("secret-words");
});

test("a call without a bearer token is served, and recorded as unauthorized", async () => {
  const response = await postToSimulator(simulator.url, simulatorChatBody({ user: "bob" }));
  expect(response.status).toBe(200);
  expect((await read("user=bob"))[0]?.authorized).toBe(false);
});

test("a stream is recorded with its chunks and its reported usage", async () => {
  const body = simulatorChatBody({ user: "cy", stream: true }, "usage=9,8");
  await (await postToSimulator(simulator.url, body)).text();
  expect((await read("user=cy"))[0]).toMatchObject({
    stream: true,
    outcome: "completed",
    promptTokens: 9,
    completionTokens: 8,
    charactersSent: 21,
    chunksSent: 4,
  });
});

test("since lists only later calls", async () => {
  const seq = (await read("user=ann"))[0]!.seq;
  const later = await read(`since=${seq}`);
  expect(later.every((call) => call.seq > seq)).toBe(true);
  expect(later.length).toBeGreaterThan(0);
});

test("an invalid request is recorded, too", async () => {
  await postToSimulator(simulator.url, { user: "dee", messages: "none" });
  expect((await read("user=dee"))[0]).toMatchObject({ model: "", status: 400, outcome: "failed" });
});

test("an unknown query parameter of the call log is a 400", async () => {
  const response = await fetch(`${simulator.url}/_simulator/calls?sinse=1`);
  expect(response.status).toBe(400);
});

test("clearing removes all calls, and seq continues", async () => {
  const before = (await read("")).at(-1)!.seq;
  const cleared = await fetch(`${simulator.url}/_simulator/calls`, { method: "DELETE" });
  expect(cleared.status).toBe(204);
  expect(await read("")).toEqual([]);
  await postToSimulator(simulator.url, simulatorChatBody());
  expect((await read(""))[0]?.seq).toBe(before + 1);
});

test("the oldest calls are dropped, and bodies are stored for the latest only", () => {
  const log = createCallLog(5, 2);
  for (let count = 0; count < 12; count += 1) log.record(call);
  const calls = log.list();
  expect(calls.map(({ seq }) => seq)).toEqual([8, 9, 10, 11, 12]);
  expect(calls.map(({ body }) => body !== undefined)).toEqual([false, false, false, true, true]);
});

test("health is ok, and other paths are 404", async () => {
  const health = await fetch(`${simulator.url}/_simulator/health`);
  expect(await health.json()).toEqual({ status: "ok" });
  expect((await fetch(`${simulator.url}/v1/nothing`)).status).toBe(404);
});
