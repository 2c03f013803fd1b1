import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createFrameBatch } from "./frame-batch.ts";

test("frames of one turn go together, those of another on their own", async () => {
  const sent: string[][] = [];
  const batch = createFrameBatch<string>((frames) => sent.push(frames));
  batch.add("a", 1);
  await Promise.resolve();
  batch.add("b", 1);
  expect(sent).toEqual([]);
  await nextTurn();
  batch.add("c", 1);
  await nextTurn();
  expect(sent).toEqual([["a", "b"], ["c"]]);
});

test("a batch that has grown large goes out at once, and nothing twice", async () => {
  const sent: string[][] = [];
  const batch = createFrameBatch<string>((frames) => sent.push(frames));
  batch.add("small", 1);
  batch.add("large", 1024 * 1024);
  expect(sent).toEqual([["small", "large"]]);
  batch.add("late", 1);
  batch.flush();
  await nextTurn();
  expect(sent).toEqual([["small", "large"], ["late"]]);
});
