import OpenAI, { toFile } from "openai";
import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

/** Complete, but without members that most providers send, and with others. */
const oddEmbeddings = {
  data: [
    { index: 1, embedding: "AAAAPwAAgL8=", is_new: true },
    { embedding: [0.5, -1] },
    { index: 0, object: "embedding", embedding: "AABAQAAAAAA=" },
  ],
  usage: { total_tokens: 7, is_new: {} },
  error: null,
};

const png = expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/);

const { stack } = await sharedStack();
const { key } = await stack.newAccount(5);
const client = new OpenAI({ apiKey: key, baseURL: `${stack.url}/v1`, maxRetries: 0 });

describe("the other routes, with the openai package, unmodified", () => {
  test("embeddings are numbers, which the client requests as base64", async () => {
    const input = ["one", "two"];
    const decoded = await client.embeddings.create({ model: "test-embed", input });
    const floats = await client.embeddings.create({
      model: "test-embed",
      input,
      encoding_format: "float",
    });
    expect(decoded.data.map(({ embedding }) => Array.from(embedding))).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
    expect(decoded.usage.prompt_tokens).toBe(2);
  });

  test.each([
    "float",
    "base64",
  ] as const)("vectors come in the encoding asked for, %s, whatever the provider sends", async (encoding_format) => {
    const ask = async (model: string, input: string[]) => {
      const body = { model, input, encoding_format };
      const response = await send(`${stack.url}/v1/embeddings`, { key, body });
      expect(response.status).toBe(200);
      return response.body as { data: { embedding: unknown }[] };
    };
    const input = ["one", "two", "three"];
    const other = await ask("test-embed-other", input);
    const same = await ask("test-embed", input);
    expect(other).toEqual({ ...same, model: expect.any(String) });
    stack.simulator.replies.set("odd-embeddings", { body: oddEmbeddings });
    const [first, second] =
      encoding_format === "float"
        ? [
            [0.5, -1],
            [3, 0],
          ]
        : ["AAAAPwAAgL8=", "AABAQAAAAAA="];
    const embeddings = [first, first, second];
    expect(await ask("test-embed-odd", input)).toEqual({
      ...oddEmbeddings,
      data: oddEmbeddings.data.map((item, index) => ({ ...item, embedding: embeddings[index] })),
    });
  });

  test("token ids are embedded by a model that takes them", async () => {
    const model = "test-embed-tokens";
    const { data, usage } = await client.embeddings.create({ model, input: [[1, 2], [3]] });
    expect(data).toHaveLength(2);
    expect(usage.prompt_tokens).toBe(3);
  });

  test("a chat model takes the members that agents add, if its catalog entry passes them", async () => {
    const request = {
      messages: [{ role: "user" as const, content: "Hello" }],
      prompt_cache_key: "agent-1",
      safety_identifier: "user-1",
      verbosity: "low" as const,
    };
    const { choices } = await client.chat.completions.create({ ...request, model: "test-passing" });
    expect(choices[0]?.message.content).toBeTruthy();
    const refused = client.chat.completions.create({ ...request, model: "test-small" });
    await expect(refused).rejects.toMatchObject({
      code: "unknown_param",
      param: "prompt_cache_key",
    });
  });

  test("images have URLs", async () => {
    const images = await client.images.generate({
      model: "test-image",
      prompt: "A lighthouse",
      n: 2,
      size: "512x512",
    });
    expect(images.data?.map(({ url }) => url)).toEqual([
      expect.stringMatching(/^https:/),
      expect.stringMatching(/^https:/),
    ]);
  });

  test("images that a provider returns as base64 are data URLs, billed apiece", async () => {
    for (const model of ["test-image-gpt", "test-azure-image"]) {
      const images = await client.images.generate({
        model,
        prompt: "A lighthouse",
        n: 2,
        response_format: "url",
      });
      expect(images).toMatchObject({ usage: { images: 2, cost: 0.08 } });
      expect(images.data).toEqual([{ url: png }, { url: png }]);
    }
    const body = { pictures: ["x"], usage: { total_tokens: 9 } };
    stack.simulator.replies.set("strange-images", { body });
    const strange = client.images.generate({ model: "test-image-strange", prompt: "A fox" });
    await expect(strange).rejects.toMatchObject({ status: 502, code: "upstream_rejected" });
  });

  test("speech is binary audio", async () => {
    const speech = await client.audio.speech.create({
      model: "test-speech",
      input: "Hello there",
      voice: "alto",
    });
    expect(speech.headers.get("content-type")).toBe("audio/mpeg");
    expect((await speech.arrayBuffer()).byteLength).toBe(1_100);
  });

  test("a file is transcribed", async () => {
    const file = await toFile(wav(2), "speech.wav", { type: "audio/wav" });
    const { text } = await client.audio.transcriptions.create({ model: "test-hear", file });
    expect(text).toBe("simulated transcript");
  });

  test("a transcription is streamed", async () => {
    const file = await toFile(wav(4), "speech.wav", { type: "audio/wav" });
    const stream = await client.audio.transcriptions.create({
      model: "test-hear",
      file,
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toContain("transcription.partial");
    expect(types).toContain("transcription.final");
  });

  test("a member that a route does not take is a BadRequestError that names it", async () => {
    const calls: [string, () => Promise<unknown>][] = [
      ["style", () => client.images.generate({ model: "test-image", prompt: "A", style: "vivid" })],
      [
        "user",
        () => client.embeddings.create({ model: "test-embed", input: "A", user: "somebody" }),
      ],
    ];
    for (const [param, call] of calls) {
      const refused = call();
      await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
      await expect(refused).rejects.toMatchObject({ code: "unknown_param", param });
    }
  });
});
