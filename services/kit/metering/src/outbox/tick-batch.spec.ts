import { expect, test } from "vitest";
import { createTurnBatch } from "./tick-batch.ts";

function world(limit: number) {
  const ran: { items: readonly string[]; answer: PromiseWithResolvers<number> }[] = [];
  const send = createTurnBatch((items: readonly string[]) => {
    const answer = Promise.withResolvers<number>();
    ran.push({ items, answer });
    return answer.promise;
  }, limit);
  return { ran, send };
}

test("what one turn brings runs together, and waits for nothing that is under way", async () => {
  const { ran, send } = world(10);
  const first = send("a");
  await expect.poll(() => ran.length).toBe(1);
  const others = ["b", "c"].map(send);
  await expect.poll(() => ran.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  ran[1]?.answer.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2]);
  ran[0]?.answer.resolve(1);
  expect(await first).toBe(1);
});

test("more than the limit runs in several batches, in order", async () => {
  const { ran, send } = world(2);
  for (const item of ["a", "b", "c"]) void send(item);
  await expect.poll(() => ran.map(({ items }) => items)).toEqual([["a", "b"], ["c"]]);
});

test("what a batch raises, each of its items is told", async () => {
  const send = createTurnBatch(() => Promise.reject(new Error("no")), 10);
  const told = await Promise.allSettled(["a", "b"].map(send));
  expect(told.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
