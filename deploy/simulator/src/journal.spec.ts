import { afterAll, beforeAll, expect, test } from "vitest";
import { chatBody, jsonOf, postChat } from "../test/client.ts";
import { createJournal, type JournalEntry } from "./journal.ts";
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
  return jsonOf<JournalEntry[]>(await fetch(`${simulator.url}/_simulator/journal?${query}`));
}

test("a call is found by its user, with what was asked and what was reported", async () => {
  const body = chatBody({ user: "ann" });
  await postChat(simulator.url, body, { headers: { authorization: "Bearer secret-words" } });
  const entries = await read("user=ann");
  expect(entries).toEqual([
    {
      seq: expect.any(Number),
      at: expect.any(Number),
      route: "/v1/chat/completions",
      model: "sim-small",
      stream: false,
      user: "ann",
      requestId: null,
      authorized: true,
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
  expect(JSON.stringify(entries)).not.toContain("secret-words");
});

test("a call without a secret is answered, and noted as such", async () => {
  const response = await postChat(simulator.url, chatBody({ user: "bob" }));
  expect(response.status).toBe(200);
  expect((await read("user=bob"))[0]?.authorized).toBe(false);
});

test("a stream is noted with its chunks and what it reports", async () => {
  const body = chatBody({ user: "cy", stream: true }, "usage=9,8");
  await (await postChat(simulator.url, body)).text();
  expect((await read("user=cy"))[0]).toMatchObject({
    stream: true,
    outcome: "completed",
    promptTokens: 9,
    completionTokens: 8,
    charactersSent: 21,
    chunksSent: 4,
  });
});

test("since leaves out what came before", async () => {
  const seq = (await read("user=ann"))[0]!.seq;
  const later = await read(`since=${seq}`);
  expect(later.every((entry) => entry.seq > seq)).toBe(true);
  expect(later.length).toBeGreaterThan(0);
});

test("a bad request is noted too", async () => {
  await postChat(simulator.url, { user: "dee", messages: "none" });
  expect((await read("user=dee"))[0]).toMatchObject({ model: "", status: 400, outcome: "failed" });
});

test("a journal query that it does not know is a 400", async () => {
  const response = await fetch(`${simulator.url}/_simulator/journal?sinse=1`);
  expect(response.status).toBe(400);
});

test("clearing forgets the entries, and the numbers go on", async () => {
  const before = (await read("")).at(-1)!.seq;
  const cleared = await fetch(`${simulator.url}/_simulator/journal`, { method: "DELETE" });
  expect(cleared.status).toBe(204);
  expect(await read("")).toEqual([]);
  await postChat(simulator.url, chatBody());
  expect((await read(""))[0]?.seq).toBe(before + 1);
});

test("only the latest entries stay, and fewer keep their bodies", () => {
  const journal = createJournal(5, 2);
  for (let count = 0; count < 12; count += 1) journal.open(call);
  const entries = journal.list();
  expect(entries.map((entry) => entry.seq)).toEqual([8, 9, 10, 11, 12]);
  expect(entries.map((entry) => entry.body !== undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test("health is ok, and other paths are 404", async () => {
  const health = await fetch(`${simulator.url}/_simulator/health`);
  expect(await health.json()).toEqual({ status: "ok" });
  expect((await fetch(`${simulator.url}/v1/nothing`)).status).toBe(404);
});
