import { expect, test } from "vitest";
import { readPrompt } from "./prompt.ts";

const pdf = Buffer.from("%PDF-1.7 /Type /Page /Type /Page").toString("base64");
const textOf = (request: object) =>
  readPrompt({ ...request })
    .text.pieces()
    .join("");

test("the prompt of a chat completion has the text of messages, and the JSON of tools", () => {
  const tools = [{ type: "function", function: { name: "look" } }];
  const messages = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "See" },
        { type: "image_url", image_url: {} },
      ],
    },
    { role: "assistant", tool_calls: [{ id: "c", function: { name: "look", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c", content: "done" },
  ];
  const request = { model: "m", user: "u", messages, tools };
  expect(textOf(request)).toBe(`Be brief.Seelook{}done${JSON.stringify(tools)}`);
  expect(readPrompt(request)).toMatchObject({ messages: 4, images: 1, pages: 0 });
});

test("the prompt of Messages has the system, thinking, calls and documents", () => {
  const content = [
    { type: "thinking", thinking: "Hm", signature: "s".repeat(60) },
    { type: "tool_use", id: "t", name: "look", input: { at: 1 } },
    { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "seen" }] },
    { type: "document", title: "A", source: { type: "text", data: "plain" } },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } },
    { type: "image", source: { type: "base64", data: "AAAA" } },
  ];
  const request = { system: [{ type: "text", text: "Be brief." }], messages: [{ content }] };
  expect(textOf(request)).toBe('Be brief.Hmlook{"at":1}seenAplain');
  expect(readPrompt(request)).toMatchObject({ images: 1, pages: 2, sealedCharacters: 60 });
});

test("the prompt of Responses has instructions and input, or one text", () => {
  const file = { type: "input_file", file_data: `data:application/pdf;base64,${pdf}` };
  const input = [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Read" }, file] },
    { type: "reasoning", encrypted_content: "e".repeat(12), summary: [] },
  ];
  expect(textOf({ instructions: "Be brief.", input })).toBe("Be brief.Read");
  expect(readPrompt({ input })).toMatchObject({ pages: 2, sealedCharacters: 12 });
  expect(textOf({ input: "One text" })).toBe("One text");
});

test("files and audio of a chat completion are pages and seconds, the same as those that are held", () => {
  const file_data = `data:application/pdf;base64,${pdf}`;
  const content = [
    { type: "file", file: { filename: "a.pdf", file_data } },
    { type: "file", file: { file_id: "file-1" } },
    { type: "file", file: { file_data: "https://a.test/a.pdf" } },
    { type: "input_audio", input_audio: { data: "A".repeat(8_000), format: "mp3" } },
  ];
  const request = { messages: [{ role: "user", content }] };
  expect(readPrompt(request)).toMatchObject({ pages: 2 + 100 + 100, audioSeconds: 3 });
  expect(textOf(request)).toBe("a.pdf");
});

test("a screenshot is an image, and a data URL is no text where an address stands", () => {
  const url = `data:image/png;base64,${"A".repeat(400)}`;
  const output = { type: "computer_screenshot", image_url: url };
  const input = [
    { type: "computer_call_output", call_id: "c", output },
    { role: "user", content: [{ type: "unknown", image_url: url }] },
  ];
  expect(readPrompt({ input })).toMatchObject({ images: 2 });
  expect(textOf({ input })).toBe("");
  expect(textOf({ input: url })).toBe(url);
});

test("large documents have the pages that are found in them, or more by their size", () => {
  const pagesOf = (bytes: Buffer) => {
    bytes.write("%PDF-1.7 ");
    const input = [{ type: "input_file", file_data: bytes.toString("base64") }];
    return readPrompt({ input }).pages;
  };
  expect(pagesOf(Buffer.alloc(4_000_000, "/Type /Page "))).toBe(1_000);
  expect(pagesOf(Buffer.alloc(4_000_000, " "))).toBe(Math.ceil(4_000_000 / 32_768));
});
