import type { JsonObject } from "@tollgate/core/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writtenMembers } from "./written-members.ts";

function membersOf(text: string) {
  return writtenMembers(Buffer.from(text), JSON.parse(text));
}

function written(text: string, name = "messages"): string {
  return Buffer.from(membersOf(text).value(name)).toString("utf8");
}

test("an array is as it stands, with its own spaces, numbers and escapes", () => {
  const array = '[ {"role":"user", "content":"caf\\u00e9 \\"[{:,\\\\"}, 12345678901234567890 ]';
  expect(written(`{ "model":"m" ,\n "messages" : ${array}\t, "n":1}`)).toBe(array);
  expect(written(`{"messages":${array}}`)).toBe(array);
  expect(written('{"messages":[]}')).toBe("[]");
});

test("so is an object, with its members in their order", () => {
  const object = '{ "9":1, "1":[ 2.0 ] }';
  expect(written(`{"a":{},"messages":\n${object} }`)).toBe(object);
  expect(written('{"messages":{}}')).toBe("{}");
});

test.each([
  ["1.0", "1"],
  ["1234567890123456.0", "1234567890123456"],
  ["12345678901234567E2", "1234567890123456800"],
  ['"\\u00e9"', '"é"'],
  ["null", "null"],
])("a value that is neither is as it was read: %s as %s", (value, read) => {
  expect(written(`{"b":[ 1.0 ],"messages" : ${value} ,"c":{}}`)).toBe(read);
});

test.each([
  "9007199254740993",
  "-9223372036854775808",
  "12345678901234567890",
  "1234567890123456",
])("a whole number of many digits keeps all of them: %s", (integer) => {
  expect(written(`{"b":[ 1.0 ],"messages" :\n ${integer} ,"c":{}}`)).toBe(integer);
  expect(written(`{"messages":${integer}}`)).toBe(integer);
  expect(written(`{"b":{"messages":${integer}},"messages":2.0}`)).toBe("2");
});

test("an object is made of those that are asked for, in that order", () => {
  const members = membersOf('{ "a": {"1":1.0} , "b" : [ 2 ], "é": {"a":3}, "c":4 }');
  expect(Buffer.from(members.object(["é", "c", "a"])).toString("utf8")).toBe(
    '{"é":{"a":3},"c":4,"a":{"1":1.0}}',
  );
  expect(Buffer.from(members.object([])).toString("utf8")).toBe("{}");
});

test("only the object's own member is meant", () => {
  const text = '{"user":"messages","metadata":{"messages":[1.0]},"messages":[2.0]}';
  expect(written(text)).toBe("[2.0]");
  expect(written('{"messages":{"messages":[1.0]}}')).toBe('{"messages":[1.0]}');
});

test.each([
  ["the member itself", '{"messages":[1.0],"messages":[2.0]}', "[2]"],
  ["the member, once with escapes", '{"messages":[1.0],"m\\u0065ssages":[2.0]}', "[2]"],
  ["a name in it", '{"messages":[{"role":"a","role":"b"}]}', '[{"role":"b"}]'],
  ["a name deep in it", '{"messages":[{"a":[{"b":1,"\\u0062":2}]}]}', '[{"a":[{"b":2}]}]'],
  ["a name elsewhere", '{"messages":[1.0],"n":1,"n":2}', "[1]"],
  ["a name of two meanings", '{"messages":[{"__proto__":1,"__proto__":2}]}', '[{"__proto__":2}]'],
])("what says %s twice could be read in two ways, and is written anew", (_what, text, anew) => {
  expect(written(text)).toBe(anew);
});

test("so is everything where a name is written with escapes", () => {
  expect(written('{"m\\u0065ssages":[2.0]}')).toBe("[2]");
  const [name, literal] = ['"a\\u0062"', '"a\\\\u0062"'];
  expect(written(`{${literal}:[1.0],${name}:[2.0]}`, "ab")).toBe("[2]");
  expect(written(`{${literal}:[1.0],${name}:[2.0]}`, "a\\u0062")).toBe("[1]");
});

test("names that objects have by themselves are names like others", () => {
  const array = '[{"__proto__":{"a":1.0},"constructor":2}]';
  expect(written(`{"messages":${array}}`)).toBe(array);
  expect(written('{"__proto__":[1.0],"toString":[2.0]}', "toString")).toBe("[2.0]");
  expect(written('{"__proto__":[1.0]}', "__proto__")).toBe("[1.0]");
});

test("long strings end where they end, whatever is in them", () => {
  for (const inner of ['\\"', "\\\\", "x", "é字", ":{[", '\\\\\\"']) {
    for (let length = 0; length < 200; length += 1) {
      const array = `["${"a".repeat(length)}${inner}${"b".repeat(length)}${inner}"]`;
      expect(written(`{"user":"${inner}","messages":${array},"n":1}`)).toBe(array);
    }
  }
});

test("all of it is what was parsed, for any JSON in any spacing", () => {
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
    fc.constantFrom(undefined, 1, "\t"),
    (members, spaces) => {
      const body: JsonObject = JSON.parse(JSON.stringify(members));
      const all = membersOf(JSON.stringify(body, null, spaces)).object(Object.keys(body));
      expect(JSON.parse(Buffer.from(all).toString("utf8"))).toEqual(body);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
