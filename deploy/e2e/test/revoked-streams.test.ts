import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { finals, liveClient, talk } from "../src/live-client.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";
import { audioForm } from "../src/transcription-client.ts";

const maxMs = 5_000;
/** Six seconds of chunks. */
const longStream = simulate("chunks=60&gap_ms=100");

const { stack } = await sharedStack();

describe("an open stream whose key is revoked while the notice is lost", () => {
  /** Revokes a key in the database only, so that no notice is sent. */
  async function revokeSilently({ keyId }: TestAccount): Promise<void> {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    await client.query("UPDATE billing.api_key SET revoked_at = now() WHERE id = $1", [keyId]);
    await client.end();
  }

  /** Opens a chat stream and resolves once its first chunks have arrived. */
  async function openChat({ key }: TestAccount, headers: Record<string, string> = {}) {
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(chatBody({ stream: true, ...longStream })),
    });
    expect(response.status).toBe(200);
    const chat = { requestId: response.headers.get("x-request-id"), text: "" };
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const part of response.body ?? []) {
        chat.text += decoder.decode(part as Uint8Array, { stream: true });
      }
    })();
    await eventually(() => expect(eventsOf(chat.text).length).toBeGreaterThan(3));
    return { chat, ended };
  }

  test("a chat stream ends within five seconds, and what was delivered is billed", async () => {
    const [own, other] = await Promise.all([stack.newAccount(1), stack.newAccount(1)]);
    const [revoked, unaffected] = [await openChat(own), await openChat(other)];
    await revokeSilently(own);
    const revokedAt = performance.now();
    await revoked.ended;
    expect(performance.now() - revokedAt).toBeLessThan(maxMs);
    expect(eventsOf(revoked.chat.text).at(-1)).toMatchObject({ error: { code: "key_revoked" } });
    const entry = await entryOf(stack, own, revoked.chat.requestId);
    expect(entry?.kind).toBe("usage");
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
    await unaffected.ended;
    expect(eventsOf(unaffected.chat.text).at(-1)).toBe("[DONE]");
    const whole = await entryOf(stack, other, unaffected.chat.requestId);
    expect(Number(entry?.quantity)).toBeLessThan(Number(whole?.quantity));
  });

  test("a chat stream with an idempotency key ends, too, and its run is completed and billed", async () => {
    const own = await stack.newAccount(1);
    const { chat, ended } = await openChat(own, { "idempotency-key": "one" });
    await revokeSilently(own);
    const revokedAt = performance.now();
    await ended;
    expect(performance.now() - revokedAt).toBeLessThan(maxMs);
    expect(eventsOf(chat.text).at(-1)).toMatchObject({ error: { code: "key_revoked" } });
    expect(chat.text.split("data: ").length).toBeLessThan(60);
    expect(await entryOf(stack, own, chat.requestId)).toMatchObject({ kind: "usage" });
  });

  test("a live transcription ends within five seconds, and what was delivered is billed", async () => {
    const [own, other] = await Promise.all([stack.newAccount(1), stack.newAccount(1)]);
    const live = liveClient(stack, own);
    const [revoked, unaffected] = [await live.start(), await live.start({}, other.key)];
    for (const stream of [revoked, unaffected]) {
      talk(stream, 2);
      await eventually(() => expect(finals(stream)).toEqual([2]));
    }
    await revokeSilently(own);
    const revokedAt = performance.now();
    expect(await revoked.closed).toBe(1_008);
    expect(performance.now() - revokedAt).toBeLessThan(maxMs);
    expect(revoked.frames.at(-1)).toMatchObject({ error: { code: "key_revoked" } });
    expect(await entryOf(stack, own, revoked.requestId)).toMatchObject({ quantity: 2n });
    talk(unaffected, 2);
    unaffected.socket.close(1_000);
    expect(await unaffected.closed).toBe(1_000);
    expect(finals(unaffected)).toEqual([2, 2]);
  });

  test("a streamed transcription of a file ends within five seconds, and the audio sent is billed", async () => {
    const own = await stack.newAccount(1);
    const response = await fetch(`${stack.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.key}` },
      body: audioForm(wav(5), { model: "test-hear-thinking", stream: "true" }),
    });
    expect(response.status).toBe(200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("transcription.final")) text += (await reader?.read())?.value ?? "";
    await revokeSilently(own);
    const revokedAt = performance.now();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      text += part.value;
    }
    expect(performance.now() - revokedAt).toBeLessThan(maxMs);
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: "key_revoked" } });
    const entry = await entryOf(stack, own, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", quantity: 5n });
  });

  test("a stream whose key expires ends within five seconds", async () => {
    const own = await stack.newAccount(1);
    const { chat, ended } = await openChat(own);
    const expiresAt = timestampFromDate(new Date(Date.now() + 500));
    await stack.operator.updateKey({ keyId: own.keyId, expiresAt });
    const expiredAt = performance.now() + 500;
    await ended;
    expect(performance.now() - expiredAt).toBeLessThan(maxMs);
    expect(eventsOf(chat.text).at(-1)).toMatchObject({ error: { code: "invalid_api_key" } });
    expect(await entryOf(stack, own, chat.requestId)).toMatchObject({ kind: "usage" });
    const retry = await send(`${stack.url}/v1/chat/completions`, { key: own.key, body: "{" });
    expectEnvelope(retry, 401, "invalid_api_key");
    expect(retry.text).toContain("expired at 20");
  });

  test("a notice ends a chat stream at once", async () => {
    const own = await stack.newAccount(1);
    const { chat, ended } = await openChat(own);
    await stack.operator.revokeKey({ keyId: own.keyId });
    await ended;
    expect(eventsOf(chat.text).at(-1)).toMatchObject({ error: { code: "key_revoked" } });
    const retry = await send(`${stack.url}/v1/chat/completions`, { key: own.key, body: "{" });
    expect(retry.status).toBe(403);
  });
});
