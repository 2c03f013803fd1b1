import { expect, test } from "vitest";
import { measureResponses } from "./prompt-size.ts";

test("what an item has in an object is read by the model, and counts", () => {
  const diff = "x".repeat(10_000);
  for (const item of [
    { type: "apply_patch_call", operation: { type: "update_file", path: "a", diff } },
    { type: "local_shell_call", action: { type: "exec", command: [diff] } },
    { type: "function_call_output", output: [[{ type: "input_text", text: diff }]] },
  ]) {
    expect(Number(measureResponses({ input: [item] }).textBytes)).toBeGreaterThan(10_000 - 1);
  }
});

test("a screenshot is an image, and its URL is checked", () => {
  const output = { type: "computer_screenshot", image_url: "http://10.0.0.1/a.png" };
  const size = measureResponses({ input: [{ type: "computer_call_output", output }] });
  expect(size).toMatchObject({
    imageParts: 1,
    firstImageParam: "input[0].output",
    privateUrlParam: "input[0].output.image_url",
    textBytes: 0n,
  });
});

test("the URL of a mask for images is checked", () => {
  const input_image_mask = { image_url: "http://localhost/mask.png" };
  const tools = [{ type: "function" }, { type: "image_generation", input_image_mask }];
  expect(measureResponses({ input: "draw", tools })).toMatchObject({
    privateUrlParam: "tools[1].input_image_mask.image_url",
  });
});

test.each([
  "function_call_output",
  "custom_tool_call_output",
])("an image in a %s counts, and may be sent to any model", (type) => {
  const image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
  const result = { type, call_id: "c", output: [image] };
  const message = { role: "user", content: [image] };
  expect(measureResponses({ input: [result, message] })).toMatchObject({
    imageParts: 2,
    firstImageParam: "input[1].content[0]",
  });
});
