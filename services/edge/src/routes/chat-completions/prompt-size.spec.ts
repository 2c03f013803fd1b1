import { expect, test } from "vitest";
import { measurePrompt } from "./prompt-size.ts";

const messages = [{ role: "user", content: "é😀" }];

test("the size counts the bytes and characters of the messages' text", () => {
  expect(measurePrompt({ messages })).toMatchObject({
    textBytes: 4n + 6n,
    textCharacters: 2n,
    unstoredTextBytes: 0n,
    unstoredTextCharacters: 0n,
    messages: 1,
  });
});

test("ids and type names count as bytes, and not as characters", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const conversation = [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "seen" }] },
  ];
  const { textBytes, textCharacters } = measurePrompt({ messages: conversation });
  expect(textCharacters).toBe(BigInt("look{}seen".length));
  const labels = "assistantcall_1functiontoolcall_1text";
  expect(textBytes).toBe((textCharacters ?? 0n) + BigInt(labels.length));
});

test("tools and the response format are counted separately", () => {
  const alone = measurePrompt({ messages });
  const tools = [{ type: "function", function: { name: "é" } }];
  const format = { type: "json_object" };
  const both = measurePrompt({ messages, tools, response_format: format });
  const json = JSON.stringify(tools) + JSON.stringify(format);
  expect(both.unstoredTextBytes).toBe(BigInt(Buffer.byteLength(json)));
  expect(both.unstoredTextCharacters).toBe(BigInt(json.length));
  expect(both.textBytes).toBe((alone.textBytes ?? 0n) + (both.unstoredTextBytes ?? 0n));
  expect(both.textCharacters).toBe(
    (alone.textCharacters ?? 0n) + (both.unstoredTextCharacters ?? 0n),
  );
});

const pdf = `data:application/pdf;base64,${Buffer.from("%PDF-1.7 /Type /Page /Type /Page ").toString("base64")}`;
const sizeOf = (...content: object[]) => measurePrompt({ messages: [{ role: "user", content }] });

test("a file counts by its pages and audio by its seconds, not their bytes, and need the model's inputs", () => {
  const data = Buffer.alloc(9_000).toString("base64");
  const size = sizeOf(
    { type: "file", file: { filename: "abc", file_data: pdf } },
    { type: "input_audio", input_audio: { data, format: "mp3" } },
  );
  expect(size).toMatchObject({ pages: 2, audioSeconds: 5, textCharacters: 3n });
  expect(size.needs).toMatchObject([
    { name: "pdf", param: "messages[0].content[0]" },
    { name: "audio", param: "messages[0].content[1]" },
  ]);
});

test("a file that the provider has or fetches counts as 100 pages, and must be allowed", () => {
  const size = sizeOf(
    { type: "file", file: { file_id: "file-1" } },
    { type: "file", file: { file_data: "http://10.0.0.1/a.pdf" } },
  );
  const url = "messages[0].content[1].file.file_data";
  expect(size).toMatchObject({ pages: 200, privateUrlParam: url });
  expect(size.needs).toMatchObject([
    { name: "pdf" },
    { name: "stored", param: "messages[0].content[0].file.file_id" },
    { name: "urls", param: url },
  ]);
});

test("members that are named as files and audio are text in other parts", () => {
  const size = sizeOf({ type: "text", text: "", file: "12345", input_audio: { data: "123" } });
  expect(size.textCharacters).toBe(8n);
});

test("members that the model passes are counted as tools are", () => {
  const documents = [{ text: "x".repeat(1_000) }];
  const { unstoredTextBytes } = measurePrompt({ messages }, [documents, null, 5]);
  expect(unstoredTextBytes).toBe(BigInt(JSON.stringify(documents).length + 1));
});
