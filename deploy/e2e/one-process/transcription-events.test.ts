import { describe, expect, test } from "vitest";
import { bytesPerSecond, flac, pcm, wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { lastUpload, sha256 } from "../src/provider-uploads.ts";
import { named } from "../src/raw-form.ts";
import { eventsOf, expectEnvelope, requestIdOf } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

const { stack, account } = await sharedStack({ creditUsd: 10 });
const audio = transcriptionClient(stack, account);

describe("transcription of uploads as events", () => {
  test("a ping, partials, finals and the refinement, then [DONE]; the finals are billed", async () => {
    const response = await audio.transcribe({ stream: "true" }, wav(5));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.text.startsWith(": ping\n\ndata: ")).toBe(true);
    const events = eventsOf(response.text) as { type: string; duration?: number; lang?: string }[];
    expect(events.at(-1)).toBe("[DONE]");
    const finals = events.filter(({ type }) => type === "transcription.final");
    expect(finals.map(({ duration }) => duration)).toEqual([2, 2, 1]);
    expect(events.filter(({ type }) => type === "transcription.partial")).toHaveLength(10);
    expect(events.at(-2)).toMatchObject({ type: "transcription.refine", lang: "en" });
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      unitType: "audio_seconds",
      quantity: 5n,
      basis: "provider",
      amountNanoUsd: -500_000n,
    });
  });

  test("a provider that closes within the audio without an event is reported and not billed", async () => {
    // More audio than is buffered when the provider closes.
    const response = await audio.transcribe(
      { model: "test-hear-closing-at-once", stream: "true" },
      wav(600),
    );
    expect(eventsOf(response.text)).toEqual([
      { error: expect.objectContaining({ code: "upstream_rejected" }) },
    ]);
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      kind: "failure",
      amountNanoUsd: 0n,
    });
  });

  test("only the samples are sent to the provider, without their container", async () => {
    const samples = pcm(1);
    const junk = wav(1, { junk: 300 });
    await audio.transcribe({ stream: "true" }, junk);
    await eventually(() => expect(lastUpload(stack)?.bytes).toBe(bytesPerSecond));
    await audio.transcribe({ stream: "true" }, wav(1, { trailer: 64_000 }));
    await eventually(() => expect(lastUpload(stack)?.bytes).toBe(bytesPerSecond));
    await audio.transcribe({ stream: "true" }, samples, "audio/L16; rate=16000; channels=1");
    await eventually(() => expect(lastUpload(stack)?.sha256).toBe(sha256(samples)));
  });

  test("without durations the uploaded audio is what is billed", async () => {
    const response = await audio.transcribe(
      { model: "test-hear-no-durations", stream: "true" },
      wav(2.2),
    );
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject({
      quantity: 3n,
      basis: "pcm_bytes",
    });
    const tail = wav(2.2, { trailer: 640_000 });
    const tailed = await audio.transcribe(
      { model: "test-hear-no-durations", stream: "true" },
      tail,
    );
    expect(await entryOf(stack, account, requestIdOf(tailed))).toMatchObject({ quantity: 3n });
    const mute = await audio.transcribe({ model: "test-hear-mute", stream: "true" }, wav(4));
    expect(mute.text).toBe(": ping\n\ndata: [DONE]\n\n");
    expect(await entryOf(stack, account, requestIdOf(mute))).toMatchObject({
      quantity: 4n,
      basis: "pcm_bytes",
    });
  });

  test("a provider that stays open but silent ends cleanly", async () => {
    const response = await audio.transcribe({ model: "test-hear-open", stream: "true" }, wav(2));
    expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
  });

  test("late events are still delivered", async () => {
    const response = await audio.transcribe({ model: "test-hear-late", stream: "true" }, wav(1));
    expect(response.text).toContain("transcription.refine");
  });

  test.each([
    ["test-hear-dying-late", { kind: "usage", quantity: 5n, basis: "finals_and_pcm" }],
    ["test-hear-reporting-late", { kind: "usage", quantity: 5n, basis: "finals_and_pcm" }],
    ["test-hear-dead-at-once", { kind: "failure", amountNanoUsd: 0n }],
  ])("%s: the last event is the error, and there is no [DONE]; billed is the audio sent, after an event", async (model, billed) => {
    const response = await audio.transcribe({ model, stream: "true" }, wav(5));
    expect(response.status).toBe(200);
    const events = eventsOf(response.text);
    expect(events.at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
    expect(events).not.toContain("[DONE]");
    expect(await entryOf(stack, account, requestIdOf(response))).toMatchObject(billed);
  });

  test("a provider that refuses returns 502, an unreachable one 503", async () => {
    const refused = await audio.transcribe({ model: "test-hear-refused", stream: "true" });
    expectEnvelope(refused, 502, "upstream_rejected");
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expectEnvelope(
      await audio.transcribe({ model: "test-hear-dead", stream: "true" }),
      503,
      "no_provider_available",
    );
  });

  test.each([
    ["FLAC", flac, "audio/flac"],
    ["44.1 kHz", wav(1, { rate: 44_100 }), "audio/wav"],
    ["stereo", wav(1, { channels: 2 }), "audio/wav"],
    ["8 bit", wav(1, { bits: 8 }), "audio/wav"],
    ["a-law", wav(1, { format: 6 }), "audio/wav"],
    ["a broken WAV", wav(1).subarray(0, 20), "audio/wav"],
    ["raw audio at another rate", pcm(1), "audio/L16; rate=8000"],
    ["raw audio in stereo", pcm(1), "audio/L16; rate=16000; channels=2"],
    ["audio with the content type of a WAV", pcm(1), "audio/wav"],
  ])("%s is an unsupported format", async (_, file, type) => {
    const form = [
      { head: named("model"), contents: "test-hear" },
      { head: named("stream"), contents: "true" },
      { head: `${named("file", '; filename="a"')}\r\nContent-Type: ${type}`, contents: file },
    ];
    expectEnvelope(await audio.postRaw(form), 400, "unsupported_audio_format", "file");
  });

  test("an alias without live audio refuses a stream", async () => {
    const response = await audio.transcribe({ model: "test-hear-files", stream: "true" });
    expectEnvelope(response, 400, "invalid_param", "stream");
  });
});
