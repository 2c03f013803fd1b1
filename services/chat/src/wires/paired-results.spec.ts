import { expect, test } from "vitest";
import { pairResults } from "./paired-results.ts";

const user = { role: "user", content: "Hi" };
const said = { role: "assistant", content: "Yes?" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const calling = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map(call),
});
const result = (id: string, content: unknown = "ok") => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const text = (words: string) => ({ type: "text", text: words });
const note = text("[result of a tool whose call is not in the conversation]");

test.each<[string, object[], object[]]>([
  ["messages without calls", [user, said, user], [user, said, user]],
  ["results in order", [user, calling("a", "b"), result("a"), result("b")], []],
  [
    "text between results",
    [calling("a", "b"), result("b"), user, result("a"), user],
    [calling("a", "b"), result("a"), result("b"), user, user],
  ],
  [
    "a call without a result",
    [user, calling("a", "b"), result("b")],
    [user, calling("b"), result("b")],
  ],
  ["a turn of such a call alone", [user, calling("a"), user], [user, user]],
  ["a call at the end", [user, calling("a")], [user]],
  [
    "a turn with a text and such a call",
    [user, { ...calling("a"), content: "Yes?" }, user],
    [user, said, user],
  ],
  [
    "a result without a call",
    [result("a"), user, said, result("b", [text("two")])],
    [
      { role: "user", content: [note, text("ok")] },
      user,
      said,
      { role: "user", content: [note, text("two")] },
    ],
  ],
  [
    "a call and a result of other ids",
    [user, calling("a"), result("b")],
    [user, { role: "user", content: [note, text("ok")] }],
  ],
  [
    "calls of one id",
    [user, calling("a", "a", "a"), result("a", "one"), result("a", "two")],
    [user, calling("a", "a"), result("a", "one"), result("a", "two")],
  ],
  [
    "two results of a call",
    [user, calling("a"), result("a", "one"), result("a", "two")],
    [user, calling("a"), result("a", [text("one"), text("two")])],
  ],
])("%s is paired", (_, messages, expected) => {
  expect(pairResults(messages as never)).toEqual(expected.length === 0 ? messages : expected);
});
