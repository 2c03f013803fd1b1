import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { bytesPerSecond, wav } from "../src/audio-files.ts";
import { beginCall } from "../src/charging/begin-call.ts";
import { billedCalls } from "../src/charging/billed-calls.ts";
import { expectCharge } from "../src/charging/expect-charge.ts";
import { expectNothingInProgress, newSerialAccount } from "../src/charging/in-progress.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { chatBody, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const before = "the client leaves before the first byte";

const { stack, account } = await sharedStack({ creditUsd: 50 });

describe("a client that disconnects", () => {
  function clientWith(apiKey: string): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${stack.url}/v1`, maxRetries: 0 });
  }

  function post(path: string, body: object, signal: AbortSignal) {
    return fetch(`${stack.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  }

  test("mid-stream ends the call to the provider, and pays for what was delivered", async () => {
    const leaver = await stack.newAccount(1);
    const user = "leaver";
    const stream = await clientWith(leaver.key).chat.completions.create({
      model: "test-small",
      messages: [{ role: "user", content: "Count slowly" }],
      user,
      stream: true,
      metadata: { simulate: "chunks=1000&gap_ms=10" },
    });
    let seen = 0;
    for await (const _ of stream) {
      seen += 1;
      if (seen === 5) break;
    }
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, leaver);
      expect(entries.map((entry) => entry.basis)).toContain("tokenized");
      expect(entries[0]?.amount).toBeLessThan(0n);
    });
    expect(stack.simulator.calls.list({ user })).toMatchObject([
      { outcome: "client_disconnected" },
    ]);
    const listed = await stack.operator.listRequests({ account: leaver.accountId });
    expect(listed.requests).toMatchObject([{ isPartial: true, errorCode: "", clientStatus: 0 }]);
  });

  describe("from a response that is not a stream", () => {
    const { chat, messages } = billedCalls;

    test("lets its key have another request in progress, and pays for both", async () => {
      const leaver = await newSerialAccount(stack);
      const left = await beginCall(stack, leaver, chat, "held");
      left.leave();
      const more = await send(`${stack.url}/v1/chat/completions`, {
        key: leaver.key,
        body: chatBody(),
      });
      expect(more.status).toBe(200);
      expect(left.recorded.outcome).toBe("open");
      stack.simulator.release();
      await eventually(async () => {
        const { entries } = await readWalletRow(stack, leaver);
        expect(entries.map(({ kind }) => kind)).toEqual(["usage", "usage", "top_up"]);
      });
    });

    test("with a large body pays, too", async () => {
      const leaver = await newSerialAccount(stack);
      const large = { ...messages, write: (alias: string) => messages.write(alias, 300_000) };
      const left = await beginCall(stack, leaver, large, "held");
      left.leave();
      await expectNothingInProgress(stack, leaver);
      stack.simulator.release();
      await expectCharge(
        stack,
        { call: large, form: "whole", ending: before, charge: "reported" },
        left,
      );
    });

    test("by a half-closed connection pays, too", async () => {
      const leaver = await newSerialAccount(stack);
      const left = await beginCall(stack, leaver, chat, "held");
      left.halfClose();
      await expectNothingInProgress(stack, leaver);
      stack.simulator.release();
      await expectCharge(
        stack,
        { call: chat, form: "whole", ending: before, charge: "reported" },
        left,
      );
    });

    test("is not tried at another slot when the first one fails", async () => {
      const leaver = await newSerialAccount(stack);
      const left = await beginCall(stack, leaver, chat, "fails_late");
      left.leave();
      await expectNothingInProgress(stack, leaver);
      stack.simulator.release();
      await expectCharge(
        stack,
        { call: chat, form: "whole", ending: before, charge: "nothing" },
        left,
      );
      expect(stack.simulator.calls.list({ since: left.recorded.seq })).toEqual([]);
    });
  });

  test("within the audio of speech stops the provider, and is billed", async () => {
    const disconnecting = new AbortController();
    const body = { model: "test-speech-big", input: "Hello there", voice: "alto" };
    const response = await post("/v1/audio/speech", body, disconnecting.signal);
    await response.body?.getReader().read();
    disconnecting.abort();
    const call = () => stack.simulator.calls.list().at(-1);
    await eventually(() => expect(call()?.outcome).toBe("client_disconnected"));
    expect(call()?.bytesSent).toBeLessThan(200_000_000);
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", quantity: 11n });
  });

  test("from a streamed transcription is billed for the audio that the provider was sent", async () => {
    const disconnecting = new AbortController();
    const response = await fetch(transcriptionClient(stack, account).url, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: audioForm(wav(20), { model: "test-hear-late", stream: "true" }),
      signal: disconnecting.signal,
    });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("transcription.final")) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    disconnecting.abort();
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    // Once all of the file is sent, the provider may end the stream first.
    expect(entry?.kind).toBe("usage");
    expect(["provider", "finals_and_pcm"]).toContain(entry?.basis);
    const heard = (stack.simulator.calls.list().at(-1)?.upload?.bytes ?? 0) / bytesPerSecond;
    expect(Number(entry?.quantity)).toBeGreaterThanOrEqual(heard);
    expect(entry?.quantity).toBeLessThanOrEqual(20n);
  });
});
