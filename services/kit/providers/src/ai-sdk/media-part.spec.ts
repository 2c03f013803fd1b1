import type { JsonObject } from "@tollgate/core/json";
import { expect, test } from "vitest";
import {
  bedrockUnderTest,
  claude,
  cohereUnderTest,
  gemini,
  mistralUnderTest,
} from "../../test/kinds.ts";
import { startProvider } from "../../test/provider-of-kind.ts";

const data = "JVBERi0xLjcK";
const file_data = `data:application/pdf;base64,${data}`;
const file = { type: "file", file: { filename: "May: the bill.pdf", file_data } };
const wav = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
const mp3 = { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } };
const text = { type: "text", text: "Read." };
const requestOf = (...content: object[]): JsonObject => ({
  messages: [{ role: "user", content }],
  max_completion_tokens: 100,
});

/** Posts a request to a provider of a kind. Resolves with the content of its first message. */
async function sentContent(kind: typeof claude, request: JsonObject): Promise<unknown> {
  const { bodies, check, post } = await startProvider(kind);
  await check(request);
  await post(request);
  const { messages, contents } = bodies[0] as JsonObject;
  const [first] = (messages ?? contents) as JsonObject[];
  return first?.content ?? first?.parts;
}

test("a PDF is a document for Anthropic, in base64 or by its address, and keeps its mark", async () => {
  const marked = { ...file, cache_control: { type: "ephemeral" } };
  const url = "https://a.test/a.pdf";
  const fetched = { type: "file", file: { file_data: url } };
  expect(await sentContent(claude, requestOf(text, marked, fetched))).toEqual([
    { type: "text", text: "Read." },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data },
      title: "May: the bill.pdf",
      cache_control: { type: "ephemeral" },
    },
    { type: "document", source: { type: "url", url } },
  ]);
});

test("a PDF and audio are inline data for Gemini", async () => {
  expect(await sentContent(gemini, requestOf(file, wav, mp3))).toEqual([
    { inlineData: { mimeType: "application/pdf", data } },
    { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
    { inlineData: { mimeType: "audio/mp3", data: "SUQz" } },
  ]);
});

test("a PDF is a document for Mistral", async () => {
  expect(await sentContent(mistralUnderTest, requestOf(text, file))).toEqual([
    { type: "text", text: "Read." },
    { type: "document_url", document_url: file_data },
  ]);
});

test("PDFs are documents of different names for Bedrock, beside a text", async () => {
  const nameless = { type: "file", file: { file_data } };
  const document = (name: string) => ({
    document: { format: "pdf", name, source: { bytes: data } },
  });
  expect(await sentContent(bedrockUnderTest, requestOf(file, file, nameless, nameless))).toEqual([
    { text: "May-the-bill" },
    document("May-the-bill"),
    document("May-the-bill-2"),
    document("document"),
    document("document-2"),
  ]);
  expect(await sentContent(bedrockUnderTest, requestOf(text, file))).toEqual([
    { text: "Read." },
    document("May-the-bill"),
  ]);
});

test.each([
  ["cohere", cohereUnderTest, file, "type"],
  ["cohere", cohereUnderTest, wav, "type"],
  ["anthropic", claude, wav, "type"],
  ["bedrock", bedrockUnderTest, mp3, "type"],
  ["mistral", mistralUnderTest, wav, "type"],
  ["google", gemini, { type: "file", file: { file_id: "file-1" } }, "file.file_id"],
  [
    "google",
    gemini,
    { type: "file", file: { file_data: "https://a.test/a.pdf" } },
    "file.file_data",
  ],
])("%s refuses by name what it cannot be sent", async (_, kind, part, member) => {
  const { check } = await startProvider(kind);
  const param = `messages[0].content[1].${member}`;
  await expect(check(requestOf(text, part))).rejects.toMatchObject({ param });
});
