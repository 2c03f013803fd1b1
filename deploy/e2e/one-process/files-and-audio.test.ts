import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { billPart, soundPart } from "../src/chat-parts.ts";
import { contentOf } from "../src/chat-response.ts";
import { entryOf } from "../src/ledger.ts";
import { expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, chat, lastSent } = await sharedStack({ creditUsd: 5 });

const ask = (model: string, ...content: object[]) =>
  chat(model, { messages: [{ role: "user", content }] });
const post = (path: string, body: object) =>
  send(`${stack.url}${path}`, { key: account.key, body });

const text = { type: "text", text: "Take" };
const url = "https://files.invalid/a.pdf";
const [, data = ""] = billPart.file.file_data.split(",");
const document = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data },
};

describe("files and audio in chat", () => {
  test("are forwarded as they came", async () => {
    const response = await ask("test-media", text, billPart, soundPart);
    expect(contentOf(response.text)).toContain("I read 1 file. I hear 1 recording.");
    expect(lastSent().messages).toEqual([{ role: "user", content: [text, billPart, soundPart] }]);
  });

  test.each([
    [
      "messages",
      "/v1/messages",
      { max_tokens: 9, messages: [{ role: "user", content: [document] }] },
    ],
    [
      "responses",
      "/v1/responses",
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_file", filename: "a.pdf", file_data: billPart.file.file_data },
              soundPart,
            ],
          },
        ],
      },
    ],
  ])("reach a translated slot from %s", async (_, path, body) => {
    const response = await post(path, { model: "test-media", ...body });
    expect(response.text).toContain("I read 1 file.");
  });

  test("leave the slots out whose kind takes none", async () => {
    const response = await ask("test-media-mixed", text, billPart);
    expect(contentOf(response.text)).toContain("I read 1 file.");
    expect((await entryOf(stack, account, requestIdOf(response)))?.provider).toBe("sim");
  });

  test("are counted where the provider reports no usage, audio at its own price", async () => {
    const response = await ask("test-media-silent", text, billPart, soundPart);
    const entry = await entryOf(stack, account, requestIdOf(response));
    const [input, audio] = entry?.lines ?? [];
    // Two pages, and the text and the file's name.
    expect(Number(input?.quantity)).toBeGreaterThan(4_000);
    expect(Number(input?.quantity)).toBeLessThan(4_050);
    expect(audio).toMatchObject({
      dimension: "audio_input",
      quantity: 30n,
      amountNanoUsd: 1_200_000n,
    });
  });

  test("are refused by name where the model does not take or allow them", async () => {
    const path = "messages[0].content[0]";
    const stored = { type: "file", file: { file_id: "file-1" } };
    const fetched = { type: "file", file: { file_data: url } };
    const inside = { type: "file", file: { file_data: "http://10.0.0.1/a.pdf" } };
    for (const [model, part, param] of [
      ["test-small", billPart, path],
      ["test-vision", soundPart, path],
      ["test-media", stored, `${path}.file.file_id`],
      ["test-media", fetched, `${path}.file.file_data`],
      ["test-media-allowing", inside, `${path}.file.file_data`],
      [
        "test-media",
        { type: "file", file: { file_data: "data:text/csv;base64,YQ==" } },
        `${path}.file.file_data`,
      ],
      ["test-media", { type: "file", file: {} }, `${path}.file.file_data`],
      [
        "test-media",
        { type: "input_audio", input_audio: { data: "", format: "wav" } },
        `${path}.input_audio.data`,
      ],
      [
        "test-media",
        { type: "input_audio", input_audio: { data: "AA==", format: "ogg" } },
        `${path}.input_audio.format`,
      ],
    ] as const) {
      expectEnvelope(await ask(model, part), 400, "invalid_param", param);
    }
    const unknown = { type: "file", file: { ...billPart.file, file_url: inside.file.file_data } };
    expectEnvelope(await ask("test-media", unknown), 400, "unknown_param", `${path}.file.file_url`);
    for (const part of [stored, fetched]) {
      expect((await ask("test-media-allowing", part)).status).toBe(200);
    }
  });

  test("are not stored in a conversation", async () => {
    const messages = [{ role: "user", content: [text, billPart] }];
    const response = await chat("test-media", { messages, session_id: randomUUID() });
    expectEnvelope(response, 400, "invalid_param", "messages[0].content[1]");
  });
});
