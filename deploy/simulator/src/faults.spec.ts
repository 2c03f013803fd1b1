import { once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type CompletionJson,
  type ErrorJson,
  jsonOf,
  openChat,
  postToSimulator,
  rawChat,
  simulatorChatBody,
} from "../test/client.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.close());

function simulated(simulate: string, fields: Record<string, unknown> = {}) {
  return postToSimulator(simulator.url, simulatorChatBody(fields, simulate));
}

function entryOf(user: string) {
  return simulator.calls.list({ user })[0];
}

test("delay_ms delays the response", async () => {
  const startMs = performance.now();
  expect((await simulated("delay_ms=60")).status).toBe(200);
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(58);
});

test("status sends an error with its message", async () => {
  const response = await simulated("status=503&message=gone+fishing", { user: "status" });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    error: { message: "gone fishing", type: "server_error", param: null, code: "simulated" },
  });
  expect(entryOf("status")).toMatchObject({ status: 503, outcome: "failed", completionTokens: 0 });
});

test("an error may have status 200", async () => {
  const response = await simulated("status=200&message=so+sorry");
  expect(response.status).toBe(200);
  expect((await jsonOf<ErrorJson>(response)).error.message).toBe("so sorry");
});

test("status sends JSON for a stream request, too", async () => {
  const response = await simulated("status=500", { stream: true });
  expect(response.status).toBe(500);
  expect(response.headers.get("content-type")).toBe("application/json");
});

test("a 429 has a Retry-After", async () => {
  const response = await simulated("status=429");
  expect(response.headers.get("retry-after")).toBe("1");
});

test("commands may follow the model id, and those in the metadata override them", async () => {
  const model = "sim-large?status=503&message=from+the+model";
  const failed = await postToSimulator(simulator.url, simulatorChatBody({ model }));
  expect(failed.status).toBe(503);
  const overridden = await simulated("status=418", { model });
  expect(overridden.status).toBe(418);
  expect((await jsonOf<ErrorJson>(overridden)).error.message).toBe("from the model");
});

test("the response's model is the id as sent", async () => {
  const response = await postToSimulator(
    simulator.url,
    simulatorChatBody({ model: "sim-large?no_usage" }),
  );
  expect((await jsonOf<CompletionJson>(response)).model).toBe("sim-large?no_usage");
});

test("refuse destroys the connection before the first byte", async () => {
  const { text } = await rawChat(simulator.url, simulatorChatBody({ user: "refuse" }, "refuse"));
  expect(text).toBe("");
  expect(entryOf("refuse")).toMatchObject({ status: 0, outcome: "refused" });
});

test("a flag is switched off with 0", async () => {
  const response = await simulated("refuse=0", { model: "sim?refuse" });
  expect(response.status).toBe(200);
});

test("hang sends nothing until the client disconnects", async () => {
  const socket = openChat(simulator.url, simulatorChatBody({ user: "hang" }, "hang"));
  const read = vi.fn();
  socket.on("data", read);
  await vi.waitFor(() => expect(entryOf("hang")?.outcome).toBe("hung"));
  socket.destroy();
  await once(socket, "close");
  expect(read).not.toHaveBeenCalled();
});

test("a client that disconnects ends the delay at once", async () => {
  const body = simulatorChatBody({ user: "disconnecting" }, "delay_ms=600000");
  const socket = openChat(simulator.url, body);
  await vi.waitFor(() => expect(entryOf("disconnecting")?.outcome).toBe("open"));
  socket.destroy();
  await vi.waitFor(() => expect(entryOf("disconnecting")?.outcome).toBe("client_disconnected"));
});

test("fail_first fails the first calls of each id", async () => {
  const statuses = async (simulate: string) => {
    const seen: number[] = [];
    for (let call = 0; call < 3; call += 1) seen.push((await simulated(simulate)).status);
    return seen;
  };
  expect(await statuses("fail_first=2&id=one")).toEqual([503, 503, 200]);
  expect(await statuses("fail_first=1&id=two&status=500")).toEqual([500, 200, 200]);
});

test("pass_first fails all calls of an id but the first", async () => {
  const seen: number[] = [];
  for (let call = 0; call < 4; call += 1) {
    seen.push((await simulated("pass_first=2&id=three&status=401")).status);
  }
  expect(seen).toEqual([200, 200, 401, 401]);
});

test.each([
  ["shout=1", "unknown command: shout"],
  ["status=abc", "bad command status=abc: status must be a whole number from 200 to 599"],
  ["status=199", "bad command status=199: status must be a whole number from 200 to 599"],
  ["refuse=yes", "bad command refuse=yes: refuse is a flag: give it no value, 1 or 0"],
  ["usage=7", "bad command usage=7: usage must be two whole numbers, as in 120,40"],
  ["fail_first=1", "bad command fail_first=1: fail_first needs an id"],
  ["pass_first=1", "bad command pass_first=1: pass_first needs an id"],
  [
    "one_write&gap_ms=5",
    "bad command one_write=: one_write cannot be combined with trickle_ms or gap_ms",
  ],
])("%s is a 400 that names the command", async (simulate, message) => {
  const response = await simulated(simulate);
  expect(response.status).toBe(400);
  expect((await jsonOf<ErrorJson>(response)).error).toMatchObject({ message, code: "bad_command" });
});
