import { expect, test } from "vitest";
import { compareChunks } from "./chunk-order.ts";

const sent = ["a", "b", "c", "b", "d"];

test("what came as it was sent is whole", () => {
  expect(compareChunks(sent, sent)).toEqual({ lost: 0, reordered: 0 });
});

test("a chunk that did not come is lost, also where an equal one came", () => {
  expect(compareChunks(sent, ["a", "b", "c", "d"])).toEqual({ lost: 1, reordered: 0 });
});

test("a chunk that came ahead of its turn is out of order", () => {
  expect(compareChunks(sent, ["b", "a", "c", "b", "d"])).toEqual({ lost: 0, reordered: 1 });
});

test("what was never sent takes no place", () => {
  expect(compareChunks(sent, ["a", "x", "b", "c", "b", "d"])).toEqual({ lost: 0, reordered: 0 });
});
