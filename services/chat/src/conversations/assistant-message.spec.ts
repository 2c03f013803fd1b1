import { describe, expect, test } from "vitest";
import { MessageBuilder, messageOf } from "./assistant-message.ts";

const nothing = { role: "assistant", content: "" };
const call = (name: string) => ({
  id: name,
  type: "function",
  function: { name, arguments: "{}" },
});

describe("the stored message of a complete response", () => {
  test.each<[string, readonly unknown[]]>([
    ["no choices", []],
    ["no message", [{ index: 0 }]],
    ["no content", [{ message: { role: "assistant", content: null, reasoning_content: "hm" } }]],
    ["no field at all", [{ message: {} }]],
    ["no parts and no calls", [{ message: { content: [], tool_calls: [], refusal: null } }]],
  ])("is an empty text with %s", (_, choices) => {
    expect(messageOf(choices)).toEqual(nothing);
  });

  test("has the content; a call or a refusal needs none", () => {
    expect(messageOf([{ message: { content: "a", reasoning: "b" } }])).toEqual({
      role: "assistant",
      content: "a",
    });
    expect(messageOf([{ message: { content: null, tool_calls: [call("a")] } }])).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [call("a")],
    });
    expect(messageOf([{ message: { refusal: "no" } }])).toEqual({
      role: "assistant",
      content: null,
      refusal: "no",
    });
  });
});

describe("the stored message of a stream", () => {
  function built(...deltas: unknown[]) {
    const builder = new MessageBuilder();
    for (const delta of deltas) builder.add([{ index: 0, delta }]);
    return builder.end().message;
  }

  test("is an empty text when there was no output", () => {
    expect(built()).toEqual(nothing);
    expect(built({ role: "assistant", content: "" }, { reasoning_content: "hm" })).toEqual(nothing);
  });

  test("has the calls in the order of their indices, which may have gaps", () => {
    const part = (index: number, name: string) => ({ index, ...call(name) });
    expect(built({ tool_calls: [part(5, "late")] }, { tool_calls: [part(2, "early")] })).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [call("early"), call("late")],
    });
  });

  test("omits a call without a name", () => {
    expect(built({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] })).toEqual(nothing);
  });

  test("joins the parts of a custom tool's call", () => {
    const first = { index: 0, id: "c", type: "custom", custom: { name: "shell", input: "ls" } };
    const later = { index: 0, custom: { input: " -l" } };
    expect(built({ tool_calls: [first] }, { tool_calls: [later] })).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "custom", custom: { name: "shell", input: "ls -l" } }],
    });
  });

  test("joins the parts of a call", () => {
    const parts = ["we", "ather"].map((name, index) => ({
      tool_calls: [{ index: 0, ...(index === 0 ? { id: "c" } : {}), function: { name } }],
    }));
    expect(built(...parts)).toMatchObject({
      tool_calls: [{ id: "c", function: { name: "weather", arguments: "" } }],
    });
  });
});
