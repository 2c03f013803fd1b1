import { once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  chunksIn,
  contentIn,
  openChat,
  payloadsOf,
  postToSimulator,
  rawChat,
  simulatorChatBody,
} from "../../test/client.ts";
import { type Simulator, startSimulator } from "../simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.close());

const LAST_CHUNK = "\r\n0\r\n\r\n";

function streamBody(simulate: string, fields: Record<string, unknown> = {}) {
  return simulatorChatBody(
    { stream: true, stream_options: { include_usage: true }, ...fields },
    simulate,
  );
}

async function stream(simulate: string, fields: Record<string, unknown> = {}) {
  return (await postToSimulator(simulator.url, streamBody(simulate, fields))).text();
}

function entryOf(user: string) {
  return simulator.calls.list({ user })[0];
}

test.each([0, 1, 3])("cut_after=%i destroys the connection after that many chunks", async (n) => {
  const body = streamBody(`cut_after=${n}`, { user: `cut-${n}` });
  const { text } = await rawChat(simulator.url, body);
  expect(text).toMatch(/^HTTP\/1.1 200/);
  expect(chunksIn(text).length).toBe(n);
  expect(text.endsWith(LAST_CHUNK)).toBe(false);
  expect(entryOf(`cut-${n}`)).toMatchObject({ outcome: "cut", chunksSent: n });
});

test("a cut stream records the tokens that it sent", async () => {
  await rawChat(simulator.url, streamBody("chunks=10&cut_after=5", { user: "counted" }));
  const recorded = entryOf("counted");
  expect(recorded).toMatchObject({ completionTokens: 4, charactersSent: 16, promptTokens: 3 });
});

test("end_after ends the stream cleanly, without a finish reason", async () => {
  const body = streamBody("end_after=2", { user: "early" });
  const { text } = await rawChat(simulator.url, body);
  expect(chunksIn(text).length).toBe(2);
  expect(text.endsWith(LAST_CHUNK)).toBe(true);
  expect(payloadsOf(text)).not.toContain("[DONE]");
  expect(entryOf("early")?.outcome).toBe("ended_early");
});

test("an end_after beyond the last chunk still sends no finish reason", async () => {
  const text = await stream("end_after=1000");
  expect(contentIn(text)).toBe("You said: hello there");
  expect(chunksIn(text).every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true);
});

test("error_event sends an error after n chunks, then ends", async () => {
  const payloads = payloadsOf(await stream("error_event=1&message=overheated", { user: "hot" }));
  expect(payloads.length).toBe(2);
  expect(JSON.parse(payloads[1] ?? "").error).toMatchObject({
    message: "overheated",
    type: "server_error",
  });
  expect(entryOf("hot")?.outcome).toBe("error_event");
});

test("no_usage omits the usage chunk", async () => {
  const chunks = chunksIn(await stream("no_usage&usage_each"));
  expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
});

test("no_head omits id, object and created from every chunk", async () => {
  const payloads = payloadsOf(await stream("no_head")).slice(0, -1);
  expect(payloads.length).toBeGreaterThan(2);
  for (const payload of payloads) {
    expect(Object.keys(JSON.parse(payload))).toEqual(["model", "choices", "usage"]);
  }
});

test("own_session adds a session_id to every chunk", async () => {
  const chunks = chunksIn(await stream("own_session"));
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.every((chunk) => "session_id" in chunk)).toBe(true);
});

test("no_choices sends only the usage chunk, if any, and the terminator", async () => {
  const text = await stream("no_choices");
  expect(chunksIn(text)).toMatchObject([{ choices: [], usage: { completion_tokens: 0 } }]);
  expect(payloadsOf(text).at(-1)).toBe("[DONE]");
  expect(payloadsOf(await stream("no_choices&no_usage"))).toEqual(["[DONE]"]);
});

test("no_done finishes without the terminator", async () => {
  const text = await stream("no_done");
  expect(payloadsOf(text)).not.toContain("[DONE]");
  expect(chunksIn(text).at(-1)?.choices).toEqual([]);
});

test("usage_each reports the usage so far on every chunk", async () => {
  const chunks = chunksIn(await stream("usage_each&chunks=3"));
  const counts = chunks.map((chunk) => chunk.usage?.completion_tokens);
  expect(counts).toEqual([0, 1, 2, 3, 3, 3]);
});

test("usage and cost are reported on the usage chunk", async () => {
  const last = chunksIn(await stream("usage=1000,1000&cost")).at(-1);
  expect(last?.usage).toMatchObject({ total_tokens: 2000, cost: 0.0005 });
  expect(last?.cost).toBe(0.0005);
});

test("chunks sets the number of content chunks, whatever the tokens", async () => {
  for (const [simulate, characters] of Object.entries({
    "chunks=7": 28,
    "chunks=7&tokens=5": 20,
  })) {
    const text = await stream(simulate);
    const contents = chunksIn(text).filter(({ choices }) => choices[0]?.delta.content);
    expect(contents.length).toBe(7);
    expect(contentIn(text).length).toBe(characters);
  }
});

test("gap_ms delays every content chunk", async () => {
  const startMs = performance.now();
  await stream("chunks=4&gap_ms=20");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * 19);
});

test("trickle_ms splits lines and characters over several writes", async () => {
  const request = streamBody("trickle_ms=5&unicode&tokens=6&chunks=1");
  const { reads, body } = await rawChat(simulator.url, request);
  expect(contentIn(body)).toBe("Grüße aus 東京 👋🏽 naïve ");
  expect(reads.some((read) => read.toString().includes("\uFFFD"))).toBe(true);
  expect(reads.length).toBeGreaterThan(2 * payloadsOf(body).length);
});

test("a trickled stream has the same content as any other", async () => {
  const [plain, trickled] = [await stream("unicode"), await stream("unicode&trickle_ms=1&crlf")];
  expect(contentIn(trickled)).toBe(contentIn(plain));
  expect(trickled).not.toContain("\uFFFD");
});

test("crlf ends every line with a carriage return and a line feed", async () => {
  const text = await stream("crlf");
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect(text.endsWith("data: [DONE]\r\n\r\n")).toBe(true);
});

test("one_write sends all events at once", async () => {
  const { reads, text } = await rawChat(simulator.url, streamBody("one_write"));
  expect(reads.length).toBe(1);
  expect(text).toContain("data: [DONE]\n\n");
});

test("one_write and cut_after send the chunks before the cut at once", async () => {
  const { text } = await rawChat(simulator.url, streamBody("one_write&cut_after=2"));
  expect(chunksIn(text).length).toBe(2);
});

test("comment sends a comment line before every event", async () => {
  const text = await stream("comment");
  expect(text.match(/^: keep-alive$/gm)?.length).toBe(payloadsOf(text).length);
});

test("garbage follows the first chunk, and the stream continues", async () => {
  const text = await stream("garbage");
  expect(() => JSON.parse(payloadsOf(text)[1] ?? "")).toThrow(SyntaxError);
  expect(contentIn(text)).toBe("You said: hello there");
});

test("a client that disconnects ends the stream at once", async () => {
  const socket = openChat(simulator.url, streamBody("chunks=3&gap_ms=600000", { user: "gone" }));
  await once(socket, "data");
  socket.destroy();
  await vi.waitFor(() => expect(entryOf("gone")?.outcome).toBe("client_disconnected"));
  expect(entryOf("gone")).toMatchObject({ chunksSent: 1, completionTokens: 0 });
});

test("a client that stops reading stops the stream", async () => {
  const socket = openChat(simulator.url, streamBody("tokens=300000", { user: "slow" }));
  socket.pause();
  await vi.waitFor(() => expect(entryOf("slow")?.chunksSent).toBeGreaterThan(0));
  await vi.waitFor(async () => {
    const before = entryOf("slow")?.chunksSent;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(entryOf("slow")?.chunksSent).toBe(before);
  }, 5_000);
  expect(entryOf("slow")?.outcome).toBe("open");
  socket.destroy();
  await vi.waitFor(() => expect(entryOf("slow")?.outcome).toBe("client_disconnected"));
});
