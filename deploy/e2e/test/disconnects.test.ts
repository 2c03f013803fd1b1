import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { bytesPerSecond, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 50 });

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
  });

  test("before a JSON response ends the call to the provider, and pays nothing", async () => {
    const leaver = await stack.newAccount(1);
    const controller = new AbortController();
    const user = "json-leaver";
    const pending = clientWith(leaver.key).chat.completions.create(
      {
        model: "test-small",
        messages: [{ role: "user", content: "Hi" }],
        user,
        metadata: { simulate: "delay_ms=600000" },
      },
      { signal: controller.signal },
    );
    const calls = () => stack.simulator.calls.list({ user });
    await eventually(() => expect(calls()).toHaveLength(1));
    controller.abort();
    await expect(pending).rejects.toThrow(OpenAI.APIUserAbortError);
    await eventually(async () => {
      const { entries, held, balance } = await readWalletRow(stack, leaver);
      expect(entries.map((entry) => entry.kind)).toEqual(["failure", "top_up"]);
      expect([held, balance]).toEqual([0n, 1_000_000_000n]);
    });
    expect(calls()).toMatchObject([{ outcome: "client_disconnected" }]);
  });

  const jsonRoutes = specialtyRoutes.filter(({ alias }) => alias !== "test-entities");

  test.each(
    jsonRoutes.map(({ path, alias, body }) => [path, { ...body, model: `${alias}-slow` }] as const),
  )("from %s is not billed", async (path, body) => {
    const disconnecting = new AbortController();
    const before = stack.simulator.calls.list().at(-1)?.seq ?? 0;
    const request = post(path, body, disconnecting.signal).catch(() => undefined);
    const call = () => stack.simulator.calls.list({ since: before })[0];
    await eventually(() => expect(call()).toBeDefined());
    disconnecting.abort();
    await request;
    await eventually(() => expect(call()?.outcome).toBe("client_disconnected"));
    await expectBooks();
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
    expect(entry).toMatchObject({ kind: "usage", basis: "finals_and_pcm" });
    const heard = (stack.simulator.calls.list().at(-1)?.upload?.bytes ?? 0) / bytesPerSecond;
    expect(Number(entry?.quantity)).toBeGreaterThanOrEqual(heard);
    expect(entry?.quantity).toBeLessThanOrEqual(20n);
  });
});
