import type { JsonObject } from "@tollgate/core/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isAmbiguous, rawJsonMembers } from "./raw-json-members.ts";
import { RequestBody } from "./request-body.ts";

/** The members of a body that arrived in chunks of 7 bytes, so that most members are in several. */
function membersOf(text: string) {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, (index + 1) * 7),
  );
  return rawJsonMembers(new RequestBody(chunks), JSON.parse(text));
}

function rawValue(text: string, name = "messages"): string {
  return Buffer.concat(membersOf(text).value(name)).toString("utf8");
}

test("an array keeps its spaces, numbers and escapes", () => {
  const array = '[ {"role":"user", "content":"caf\\u00e9 \\"[{:,\\\\"}, 12345678901234567890 ]';
  expect(rawValue(`{ "model":"m" ,\n "messages" : ${array}\t, "n":1}`)).toBe(array);
  expect(rawValue(`{"messages":${array}}`)).toBe(array);
  expect(rawValue('{"messages":[]}')).toBe("[]");
});

test("an object keeps the order of its members", () => {
  const object = '{ "9":1, "1":[ 2.0 ] }';
  expect(rawValue(`{"a":{},"messages":\n${object} }`)).toBe(object);
  expect(rawValue('{"messages":{}}')).toBe("{}");
});

test.each([
  ["1.0", "1"],
  ["1234567890123456.0", "1234567890123456"],
  ["12345678901234567E2", "1234567890123456800"],
  ['"\\u00e9"', '"é"'],
  ["null", "null"],
])("another value is serialized again: %s as %s", (value, serialized) => {
  expect(rawValue(`{"b":[ 1.0 ],"messages" : ${value} ,"c":{}}`)).toBe(serialized);
});

test.each([
  "9007199254740993",
  "-9223372036854775808",
  "12345678901234567890",
  "1234567890123456",
])("an integer of many digits keeps all of them: %s", (integer) => {
  expect(rawValue(`{"b":[ 1.0 ],"messages" :\n ${integer} ,"c":{}}`)).toBe(integer);
  expect(rawValue(`{"messages":${integer}}`)).toBe(integer);
  expect(rawValue(`{"b":{"messages":${integer}},"messages":2.0}`)).toBe("2");
});

test("an object has the requested members in the requested order", () => {
  const members = membersOf('{ "a": {"1":1.0} , "b" : [ 2 ], "é": {"a":3}, "c":4 }');
  expect(Buffer.from(members.object(["é", "c", "a"])).toString("utf8")).toBe(
    '{"é":{"a":3},"c":4,"a":{"1":1.0}}',
  );
  expect(Buffer.from(members.object([])).toString("utf8")).toBe("{}");
});

test("a nested member of the same name is ignored", () => {
  const text = '{"user":"messages","metadata":{"messages":[1.0]},"messages":[2.0]}';
  expect(rawValue(text)).toBe("[2.0]");
  expect(rawValue('{"messages":{"messages":[1.0]}}')).toBe('{"messages":[1.0]}');
});

test.each([
  ["the member", '{"messages":[1.0],"messages":[2.0]}', "[2]"],
  ["the member, once with escapes", '{"messages":[1.0],"m\\u0065ssages":[2.0]}', "[2]"],
  ["a nested name", '{"messages":[{"role":"a","role":"b"}]}', '[{"role":"b"}]'],
  ["a deeply nested name", '{"messages":[{"a":[{"b":1,"\\u0062":2}]}]}', '[{"a":[{"b":2}]}]'],
  ["another name", '{"messages":[1.0],"n":1,"n":2}', "[1]"],
  ["__proto__", '{"messages":[{"__proto__":1,"__proto__":2}]}', '[{"__proto__":2}]'],
])("an object that has %s twice is ambiguous, and serialized again", (_name, text, serialized) => {
  expect(rawValue(text)).toBe(serialized);
});

test("an object with an escaped name is serialized again", () => {
  expect(rawValue('{"m\\u0065ssages":[2.0]}')).toBe("[2]");
  const [name, literal] = ['"a\\u0062"', '"a\\\\u0062"'];
  expect(rawValue(`{${literal}:[1.0],${name}:[2.0]}`, "ab")).toBe("[2]");
  expect(rawValue(`{${literal}:[1.0],${name}:[2.0]}`, "a\\u0062")).toBe("[1]");
});

test("the names of an object's built-in properties are ordinary names", () => {
  const array = '[{"__proto__":{"a":1.0},"constructor":2}]';
  expect(rawValue(`{"messages":${array}}`)).toBe(array);
  expect(rawValue('{"__proto__":[1.0],"toString":[2.0]}', "toString")).toBe("[2.0]");
  expect(rawValue('{"__proto__":[1.0]}', "__proto__")).toBe("[1.0]");
});

test("the ends of long strings are found, whatever they contain", () => {
  for (const inner of ['\\"', "\\\\", "x", "é字", ":{[", '\\\\\\"']) {
    for (let length = 0; length < 200; length += 1) {
      const array = `["${"a".repeat(length)}${inner}${"b".repeat(length)}${inner}"]`;
      expect(rawValue(`{"user":"${inner}","messages":${array},"n":1}`)).toBe(array);
    }
  }
});

test("the raw members parse to the parsed object, for any JSON and spacing", () => {
  // Without escapes in names: with them, V8's parser may lose a member, which is detected, too.
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

test.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3}]}', false],
  ['{"a":"\\"b\\":1","b":"c\\\\"}', false],
  ['{"a":1,"a":2}', true],
  ['{"a":[{"b":1,"b":2}]}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['{"\\u0061":1}', true],
  ['{"a":{"b\\u0063":1}}', true],
])("a body that parsers may read differently is ambiguous: %s", (text, expected) => {
  expect(isAmbiguous(new RequestBody([Buffer.from(text)]), JSON.parse(text))).toBe(expected);
});
