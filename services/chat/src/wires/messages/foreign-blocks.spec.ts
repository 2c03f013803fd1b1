import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { describe, expect, test } from "vitest";
import { signatureOf } from "../signed-details.ts";
import { mayHaveForeignBlocks, withoutForeignBlocks } from "./foreign-blocks.ts";

const user = { role: "user", content: "Hi" };
const turn = (...content: object[]) => ({ role: "assistant", content });
const results = (...ids: string[]) => ({
  role: "user",
  content: ids.map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: "ok" })),
});
const call = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const signed = { type: "thinking", thinking: "Hm.", signature: "EqQBCgIYAhIM" };
const text = { type: "text", text: "Yes." };
const enabled = { type: "enabled", budget_tokens: 1_024 };

/** Returns what is sent of a request: undefined where its bytes are. */
function sentOf(request: JsonObject): JsonObject | undefined {
  const isSuspect = [JSON.stringify(request), JSON.stringify(request, undefined, 1)].map((body) =>
    mayHaveForeignBlocks(Buffer.from(body)),
  );
  const sent = withoutForeignBlocks(request);
  if (sent !== request) expect(isSuspect).toEqual([true, true]);
  return sent === request ? undefined : sent;
}

test.each([
  ["an empty signature", { ...signed, signature: "" }],
  ["no signature", { type: "thinking", thinking: "Hm." }],
  ["ours", { ...signed, signature: signatureOf([]) }],
  ["ours, with details", { ...signed, signature: signatureOf([{ type: "reasoning.text" }]) }],
  ["ours, as data", { type: "redacted_thinking", data: signatureOf([{ type: "a" }]) }],
  ["empty data", { type: "redacted_thinking", data: "" }],
])("thinking with %s is left out, beside an image, too", (_, block) => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
  const asked = { role: "user", content: [image] };
  const sent = sentOf({ messages: [asked, turn(signed, block as object, text), user] });
  expect(sent).toEqual({ messages: [asked, turn(signed, text), user] });
  expect(sentOf({ messages: [user, turn(block as object), user] })).toEqual({
    messages: [user, user],
  });
});

test.each([
  ["functions.f:0", /^toolu_[0-9a-f]{24}$/],
  ["", /^toolu_[0-9a-f]{24}$/],
  ["naïve", /^toolu_[0-9a-f]{24}$/],
])("the id %j is the same in a call and its result, as Anthropic takes it", (id, pattern) => {
  const sent = sentOf({
    messages: [user, turn(call(id), call("toolu_1")), results(id, "toolu_1")],
  });
  const [, called, answered] = objectsIn(sent?.messages) as { content: JsonObject[] }[];
  expect(called?.content[0]?.id).toMatch(pattern);
  expect(answered?.content[0]?.tool_use_id).toBe(called?.content[0]?.id);
  expect(called?.content[1]?.id).toBe("toolu_1");
});

test("other ids than those of calls are not changed", () => {
  const input = { ...call("toolu_1"), input: { id: "a.b", tool_use_id: "c d" } };
  expect(sentOf({ messages: [user, turn(input), results("toolu_1")] })).toBeUndefined();
});

test("what Anthropic generated is sent byte for byte, without reading it", () => {
  const redacted = { type: "redacted_thinking", data: "EmwKAhgB" };
  const messages = [user, turn(signed, redacted, text, call("toolu_1")), results("toolu_1")];
  const request = { thinking: enabled, messages };
  expect(mayHaveForeignBlocks(Buffer.from(JSON.stringify(request)))).toBe(false);
  expect(sentOf(request)).toBeUndefined();
});

describe("a turn with calls that another provider began without thinking", () => {
  const clear = { type: "clear_thinking_20251015", keep: "all" };
  const edit = { type: "clear_tool_uses_20250919" };

  test.each([
    ["whose thinking is left out", [{ ...signed, signature: "" }, call("toolu_1")]],
    ["which had none", [call("call_1")]],
  ])("%s goes on without thinking", (_, content) => {
    const messages = [user, turn(signed, text), user, turn(...content), results("toolu_1")];
    const request = { thinking: enabled, context_management: { edits: [clear, edit] }, messages };
    const sent = sentOf(request);
    expect(sent).not.toHaveProperty("thinking");
    expect(sent?.context_management).toEqual({ edits: [edit] });
    expect(sentOf({ ...request, thinking: { type: "adaptive" } })).toEqual(
      content.length === 1
        ? undefined
        : expect.objectContaining({ thinking: { type: "adaptive" } }),
    );
  });

  test("thinks again in its next turn", () => {
    const messages = [user, turn(call("call_1")), results("call_1"), turn(text), user];
    expect(sentOf({ thinking: enabled, messages })).toBeUndefined();
  });
});
