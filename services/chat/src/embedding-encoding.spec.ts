import { expect, test } from "vitest";
import { encodedEmbeddings } from "./embedding-encoding.ts";

/** As numpy writes `float32` values on a little-endian machine. */
const base64 = "AAAAPwAAgL8AAEBA";
const floats = [0.5, -1, 3];

const responseOf = (...embeddings: unknown[]) => ({
  object: "list",
  data: embeddings.map((embedding, index) => ({ index, embedding, more: true })),
  usage: { total_tokens: 2 },
});

test("vectors in the other encoding are converted, and nothing else is changed", () => {
  expect(encodedEmbeddings(responseOf(floats, base64), "base64")).toEqual(
    responseOf(base64, base64),
  );
  expect(encodedEmbeddings(responseOf(base64, floats), "float")).toEqual(
    responseOf(floats, floats),
  );
});

test("a number beyond 32-bit floats keeps its nearest value", () => {
  const [item] = (encodedEmbeddings(responseOf([0.1]), "base64")?.data ?? []) as [JsonItem];
  expect(Buffer.from(item.embedding, "base64").readFloatLE()).toBe(Math.fround(0.1));
});

interface JsonItem {
  embedding: string;
}

test.each([
  ["float", responseOf(floats)],
  ["base64", responseOf(base64)],
  ["float", responseOf(null, { int8: [1] }, "not base64", "AAAA", "AAA")],
  ["base64", responseOf(null, ["a"], [[1, 2]], { float: [1] })],
  ["base64", { data: [1, null, "x"] }],
  ["base64", { embeddings: [[1]] }],
] as const)("a response without vectors in the other encoding is kept: %s, %j", (encoding, response) => {
  expect(encodedEmbeddings(response, encoding)).toBeUndefined();
});
