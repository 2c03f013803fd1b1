import { expect, test } from "vitest";
import { readableJson, textOfStream } from "./content-text.ts";

const events = (...data: object[]) =>
  [...data.map((one) => JSON.stringify(one)), "[DONE]"].map((one) => `data: ${one}\n\n`).join("");

test.each([
  [
    "chat completions",
    events(
      { choices: [{ delta: { role: "assistant" } }] },
      { choices: [{ delta: { content: "Hel" } }] },
      { choices: [{ delta: { content: "lo" } }] },
      { choices: [], usage: { total_tokens: 3 } },
    ),
  ],
  [
    "Messages",
    `event: content_block_delta\n${events(
      { type: "message_start", message: {} },
      { type: "content_block_delta", delta: { type: "text_delta", text: "Hel" } },
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "lo" } },
    )}`,
  ],
  [
    "Responses",
    events(
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_text.done", text: "Hello" },
    ),
  ],
])("the text of a stream of %s is what it delivered", (_wire, text) => {
  expect(textOfStream(text)).toBe("Hello");
  expect(textOfStream(`${text}data: {"choices":[{"del`)).toBe("Hello");
});

test("JSON has line breaks, is no stream, and is left as it is where it was cut", () => {
  expect(readableJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readableJson('{"a":')).toBe('{"a":');
  expect(textOfStream('{"a":1}')).toBeUndefined();
});
