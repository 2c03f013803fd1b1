import type { JsonObject } from "@tollgate/kit/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writtenArray } from "./written-array.ts";

function written(text: string): string | undefined {
  return writtenArray(Buffer.from(text), JSON.parse(text), "messages")?.toString("utf8");
}

test("is found as it stands, with its own spaces, numbers and escapes", () => {
  const array = '[ {"role":"user", "content":"caf\\u00e9 \\"[{:,\\\\"}, 12345678901234567890 ]';
  expect(written(`{ "model":"m" ,\n "messages" : ${array}\t, "n":1}`)).toBe(array);
  expect(written(`{"messages":${array}}`)).toBe(array);
  expect(written('{"messages":[]}')).toBe("[]");
});

test("only the object's own member is meant", () => {
  expect(written('{"user":"messages","metadata":{"messages":[1]},"messages":[2]}')).toBe("[2]");
  expect(written('{"stop":["messages"],"metadata":{"messages":[1]}}')).toBeUndefined();
  expect(written('{"messages_":[1],"essages":[2]}')).toBeUndefined();
});

test.each([
  ["the member itself", '{"messages":[1],"messages":[2]}'],
  ["the member, once with escapes", '{"messages":[1],"m\\u0065ssages":[2]}'],
  ["a name in the array", '{"messages":[{"role":"system","role":"user"}]}'],
  ["a name deep in it", '{"messages":[{"a":[{"b":1,"\\u0062":2}]}]}'],
  ["a name elsewhere", '{"messages":[1],"n":1,"n":2}'],
  ["a name with two meanings to objects", '{"messages":[{"__proto__":1,"__proto__":2}]}'],
])("what says %s twice could be read in two ways", (_what, text) => {
  expect(written(text)).toBeUndefined();
});

test("a name that is written with escapes is not looked for", () => {
  expect(written('{"m\\u0065ssages":[2]}')).toBeUndefined();
});

test("names that objects have by themselves are names like others", () => {
  expect(written('{"messages":[{"__proto__":{"a":1},"constructor":2}]}')).toBe(
    '[{"__proto__":{"a":1},"constructor":2}]',
  );
});

test("long strings end where they end, whatever is in them", () => {
  for (const inner of ['\\"', "\\\\", "x", "é字", ":{[", '\\\\\\"']) {
    for (let length = 0; length < 200; length += 1) {
      const array = `["${"a".repeat(length)}${inner}${"b".repeat(length)}${inner}"]`;
      expect(written(`{"user":"${inner}","messages":${array},"n":1}`)).toBe(array);
    }
  }
});

test("is what was parsed, for any JSON in any spacing", () => {
  // Without escapes: where names have them, V8's parser may lose a member, which is found out too.
  const name = fc.oneof(fc.constantFrom("messages", "a"), fc.stringMatching(/^[a-z:,{}[\] ]*$/));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "binary", maxLength: 150 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(name, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const property = fc.property(
    fc.dictionary(name, value, { maxKeys: 4 }),
    fc.array(value, { maxLength: 4 }),
    fc.constantFrom(undefined, 1, "\t"),
    (others, messages, spaces) => {
      const body: JsonObject = { ...others, messages };
      const text = written(JSON.stringify(body, null, spaces));
      expect(JSON.parse(text ?? "")).toEqual(JSON.parse(JSON.stringify(messages)));
    },
  );
  fc.assert(property, { numRuns: 500 });
});
