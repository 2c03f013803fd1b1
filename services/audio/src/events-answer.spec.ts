import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { expect, onTestFinished, test } from "vitest";
import { answerEvents } from "./events-answer.ts";

const text = "x".repeat(65_536);

/** Opens a request whose answer nobody reads yet. */
async function openAnswer() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  client.pause();
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const [, res] = (await once(server, "request")) as [unknown, ServerResponse];
  const left = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) left.abort(new Error("the client left"));
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { client, res, signal: left.signal };
}

function manyEvents() {
  const made = { events: 0, isOver: false };
  async function* events(): AsyncGenerator<TranscriptEvent | "opened"> {
    try {
      yield "opened";
      for (; made.events < 1_000; made.events += 1) {
        await turn();
        yield { type: "transcription.partial", text };
      }
    } finally {
      made.isOver = true;
    }
  }
  return { made, events: events() };
}

test("a client that takes nothing stops the events, and is let go after a while", async () => {
  const { res, signal } = await openAnswer();
  const { made, events } = manyEvents();
  await expect(answerEvents(res, events, signal, 400)).rejects.toThrow();
  expect(made.events).toBeLessThan(500);
  expect([made.isOver, signal.aborted, res.destroyed]).toEqual([true, true, true]);
});

test("a client that takes its time is sent everything", async () => {
  const { client, res, signal } = await openAnswer();
  const { made, events } = manyEvents();
  const answering = answerEvents(res, events, signal, 2_000);
  await sleep(300);
  expect(made.events).toBeLessThan(500);
  let bytes = 0;
  let end = "";
  client.on("data", (part) => {
    bytes += part.length;
    end = `${end}${part.toString("latin1")}`.slice(-40);
  });
  client.resume();
  await answering;
  await expect.poll(() => end).toContain("data: [DONE]");
  expect(bytes).toBeGreaterThan(1_000 * text.length);
});
