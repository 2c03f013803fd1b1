import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { expect, onTestFinished, test } from "vitest";
import { sendTranscriptEvents } from "./event-stream-response.ts";

const text = "x".repeat(65_536);

/** Opens a request whose client does not read the response yet. */
async function openResponse() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  client.pause();
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const [, res] = (await once(server, "request")) as [unknown, ServerResponse];
  const disconnected = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) disconnected.abort(new Error("the client disconnected"));
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { client, res, signal: disconnected.signal };
}

function manyEvents() {
  const produced = { events: 0, isEnded: false };
  async function* events(): AsyncGenerator<TranscriptEvent | "opened"> {
    try {
      yield "opened";
      for (; produced.events < 1_000; produced.events += 1) {
        await turn();
        yield { type: "transcription.partial", text };
      }
    } finally {
      produced.isEnded = true;
    }
  }
  return { produced, events: events() };
}

test("a client that reads nothing stops the events, and is disconnected after the stall limit", async () => {
  const { res, signal } = await openResponse();
  const { produced, events } = manyEvents();
  await expect(sendTranscriptEvents(res, events, signal, 400)).rejects.toThrow();
  expect(produced.events).toBeLessThan(500);
  expect([produced.isEnded, signal.aborted, res.destroyed]).toEqual([true, true, true]);
});

test("a client that reads slowly is sent all events", async () => {
  const { client, res, signal } = await openResponse();
  const { produced, events } = manyEvents();
  const sending = sendTranscriptEvents(res, events, signal, 2_000);
  let before = 0;
  const isStalled = () => {
    const last = before;
    before = produced.events;
    return last > 0 && last === before;
  };
  await expect.poll(isStalled).toBe(true);
  expect(produced.events).toBeLessThan(500);
  let bytes = 0;
  let end = "";
  client.on("data", (chunk) => {
    bytes += chunk.length;
    end = `${end}${chunk.toString("latin1")}`.slice(-40);
  });
  client.resume();
  await sending;
  await expect.poll(() => end).toContain("data: [DONE]");
  expect(bytes).toBeGreaterThan(1_000 * text.length);
});
