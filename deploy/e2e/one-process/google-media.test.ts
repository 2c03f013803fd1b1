import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();

describe("images and speech of Google", () => {
  const draw = (body: object) =>
    send(`${stack.url}/v1/images/generations`, {
      key: account.key,
      body: { model: "test-google-image", prompt: "A fox", ...body },
    });

  const lastBody = () => stack.simulator.calls.list().at(-1)?.body;

  test("an image is a data URL that the OpenAI client returns, and is billed", async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${stack.url}/v1`, maxRetries: 0 });
    const { data, response } = await client.images
      .generate({ model: "test-google-image", prompt: "A fox", size: "1024x1024" })
      .withResponse();
    const [image] = data.data ?? [];
    const bytes = Buffer.from(await (await fetch(image?.url ?? "")).arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(data).toMatchObject({ usage: { images: 1, cost: 0.04 } });
    expect(lastBody()).toEqual({
      contents: [{ role: "user", parts: [{ text: "A fox" }] }],
      generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "1:1" } },
    });
    await eventually(async () => {
      const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
      expect(entry).toMatchObject({ provider: "google", unitType: "images", quantity: 1n });
    });
  });

  test("Imagen draws several images in one call", async () => {
    const response = await draw({ model: "test-google-imagen", n: 3, size: "1408x768" });
    expect(response.body).toMatchObject({ data: [{}, {}, {}], usage: { images: 3 } });
    expect(lastBody()).toEqual({
      instances: [{ prompt: "A fox" }],
      parameters: { sampleCount: 3, aspectRatio: "16:9" },
    });
  });

  test.each([
    [{ n: 2 }, "n"],
    [{ size: "512x512" }, "size"],
    [{ model: "test-google-imagen", n: 5 }, "n"],
    [{ model: "test-google-imagen", size: "1248x832" }, "size"],
  ])("what a model does not draw is refused by name, before it is called: %j", async (body, param) => {
    const calls = stack.simulator.calls.list().length;
    expectEnvelope(await draw(body), 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(calls);
  });

  test("no image costs nothing, and an outage goes on to the next slot", async () => {
    const none = await draw({ model: "test-google-image-none" });
    expectEnvelope(none, 502, "upstream_rejected");
    const down = await draw({ model: "test-google-image-down" });
    expect(down.body).toMatchObject({ data: [{ url: expect.stringContaining("https://") }] });
  });

  const speak = (body: object) =>
    fetch(`${stack.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "test-google-speech", input: "Hello", voice: "Kore", ...body }),
    });

  test("Gemini speaks WAV and PCM, with the voice by its name", async () => {
    const response = await speak({});
    expect(response.headers.get("content-type")).toBe("audio/wav");
    const wav = Buffer.from(await response.arrayBuffer());
    expect(wav.toString("latin1", 0, 4)).toBe("RIFF");
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect([wav.readUInt32LE(24), wav.readUInt32LE(28)]).toEqual([24_000, 48_000]);
    expect(wav.readUInt32LE(40)).toBe(1_000);
    expect(lastBody()).toMatchObject({
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      },
    });
    await eventually(async () => {
      const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
      expect(entry).toMatchObject({ provider: "google", unitType: "chars", quantity: 5n });
    });
    const pcm = await speak({ response_format: "pcm" });
    expect(pcm.headers.get("content-type")).toBe("audio/pcm");
    expect(Buffer.from(await pcm.arrayBuffer())).toEqual(wav.subarray(44));
  });

  test("what Gemini does not speak is refused by name, and no audio costs nothing", async () => {
    for (const [body, param] of [
      [{ response_format: "mp3" }, "response_format"],
      [{ speed: 1.5 }, "speed"],
    ] as const) {
      const refused = await speak(body);
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param } }]);
    }
    const empty = await speak({ model: "test-google-speech-empty" });
    expect(empty.status).toBe(502);
  });

  test("the voices of Gemini are listed without a call", async () => {
    const url = `${stack.url}/v1/audio/voices?model=test-google-speech`;
    const response = await send(url, { key: account.key, method: "GET" });
    const { voices } = response.body as { voices: object[] };
    expect(voices).toHaveLength(30);
    expect(voices).toContainEqual({ id: "Kore", name: "Kore" });
    expect(requestIdOf(response)).toMatch(/^req_/);
  });
});
