import { expect, test } from "vitest";
import { measureMessages } from "./prompt-size.ts";

test("images in the content of a document count, and their URLs are checked", () => {
  const image = { type: "image", source: { type: "url", url: "http://169.254.169.254/a.png" } };
  const source = { type: "content", content: [{ type: "text", text: "hello" }, image] };
  const messages = [{ role: "user", content: [{ type: "document", source }] }];
  expect(measureMessages({ messages })).toMatchObject({
    imageParts: 1,
    textBytes: 5n,
    firstImageParam: "messages[0].content[0].source.content[1]",
    privateUrlParam: "messages[0].content[0].source.content[1].source.url",
  });
});

test.each([
  "tools",
  "output_config",
  "output_format",
  "context_management",
])("the text in %s counts", (name) => {
  const messages = [{ role: "user", content: "hello" }];
  const size = measureMessages({ messages, [name]: { schema: "x".repeat(1_000) } });
  expect(Number(size.textBytes)).toBeGreaterThan(1_005);
});

test("an image in a result or beside one counts, and may be sent to any model", () => {
  const image = { type: "image", source: { type: "base64", data: "AAAA" } };
  const result = { type: "tool_result", tool_use_id: "t", content: [image] };
  expect(measureMessages({ messages: [{ role: "user", content: [result] }] })).toMatchObject({
    imageParts: 1,
    firstImageParam: "",
  });
  const beside = [{ role: "user", content: [result, image] }];
  expect(measureMessages({ messages: beside })).toMatchObject({
    imageParts: 2,
    firstImageParam: "",
  });
  const behind = [...beside, { role: "user", content: [image] }];
  expect(measureMessages({ messages: behind })).toMatchObject({
    imageParts: 3,
    firstImageParam: "messages[1].content[0]",
  });
});
