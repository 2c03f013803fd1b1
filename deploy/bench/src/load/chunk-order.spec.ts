import { expect, test } from "vitest";
import { compareChunks } from "./chunk-order.ts";

const sent = ["a", "b", "c", "b", "d"];

test("identical chunks are neither lost nor reordered", () => {
  expect(compareChunks(sent, sent)).toEqual({ lost: 0, reordered: 0 });
});

test("a missing chunk is lost, even when an equal one was received", () => {
  expect(compareChunks(sent, ["a", "b", "c", "d"])).toEqual({ lost: 1, reordered: 0 });
});

test("a chunk that is received too early is out of order", () => {
  expect(compareChunks(sent, ["b", "a", "c", "b", "d"])).toEqual({ lost: 0, reordered: 1 });
});

test("a chunk that was never sent is ignored", () => {
  expect(compareChunks(sent, ["a", "x", "b", "c", "b", "d"])).toEqual({ lost: 0, reordered: 0 });
});
