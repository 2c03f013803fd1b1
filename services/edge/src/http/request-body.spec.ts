import { describe, expect, test } from "vitest";
import { RequestBody } from "./request-body.ts";

const bodyOf = (...chunks: string[]) => new RequestBody(chunks.map((chunk) => Buffer.from(chunk)));
const textOf = (body: RequestBody) => body.use((text) => text.toString());

test("several chunks are used in one buffer, and joined when that is asked for", () => {
  const body = bodyOf("ab", "c", "def");
  expect(body.byteLength).toBe(6);
  expect(textOf(body)).toBe("abcdef");
  expect(body.chunks).toHaveLength(3);
  expect(body.joined().toString()).toBe("abcdef");
  expect(body.chunks).toEqual([Buffer.from("abcdef")]);
  expect(body.joined()).toBe(body.chunks[0]);
  expect(Buffer.concat(body.slice(1, 4)).toString()).toBe("bcd");
});

describe("a body in several chunks", () => {
  const body = bodyOf("ab", "c", "def");

  test.each([
    [0, 6, ["ab", "c", "def"]],
    [1, 4, ["b", "c", "d"]],
    [2, 3, ["c"]],
    [3, 5, ["de"]],
    [2, 2, []],
  ])("has slices of its chunks from %i to %i, without a copy", (start, end, expected) => {
    const slices = body.slice(start, end);
    expect(slices.map((slice) => Buffer.from(slice).toString())).toEqual(expected);
    const memory = new Set(body.chunks.map((chunk) => chunk.buffer));
    expect(slices.every((slice) => memory.has(slice.buffer as ArrayBuffer))).toBe(true);
  });

  test("can be used again after another one, and within the use of another one", () => {
    const other = bodyOf("x", "yz");
    expect(other.use((text) => textOf(body) + text.toString())).toBe("abcdefxyz");
    expect(() => other.use(() => JSON.parse("{"))).toThrow(SyntaxError);
    expect(textOf(body)).toBe("abcdef");
    expect(textOf(other)).toBe("xyz");
  });
});

test("bodies in several chunks share a buffer, up to 1 MiB", () => {
  const memoryOf = (body: RequestBody) => body.use((text) => text.buffer);
  const halves = (bytes: number) =>
    new RequestBody([Buffer.alloc(bytes / 2, "a"), Buffer.alloc(bytes / 2, "b")]);
  expect(memoryOf(halves(1024 * 1024))).toBe(memoryOf(bodyOf("a", "b")));
  const large = halves(1024 * 1024 + 2);
  expect(memoryOf(large)).not.toBe(memoryOf(bodyOf("a", "b")));
  expect(large.use((text) => text.equals(large.joined()))).toBe(true);
});

test("a body of one chunk is that chunk, and an empty one is empty", () => {
  const body = bodyOf("{}");
  expect(body.use((text) => text)).toBe(body.chunks[0]);
  expect(body.joined()).toBe(body.chunks[0]);
  expect(textOf(new RequestBody([]))).toBe("");
  expect(new RequestBody([]).slice(0, 0)).toEqual([]);
});
