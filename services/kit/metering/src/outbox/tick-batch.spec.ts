import { expect, test } from "vitest";
import { createTickBatch } from "./tick-batch.ts";

function world(limit: number) {
  const ran: { items: readonly string[]; result: PromiseWithResolvers<number> }[] = [];
  const send = createTickBatch((items: readonly string[]) => {
    const result = Promise.withResolvers<number>();
    ran.push({ items, result });
    return result.promise;
  }, limit);
  return { ran, send };
}

test("items of one turn run together, and wait for no batch that runs", async () => {
  const { ran, send } = world(10);
  const first = send("a");
  await expect.poll(() => ran.length).toBe(1);
  const others = ["b", "c"].map(send);
  await expect.poll(() => ran.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  ran[1]?.result.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2]);
  ran[0]?.result.resolve(1);
  expect(await first).toBe(1);
});

test("items beyond the limit run in further batches, in order", async () => {
  const { ran, send } = world(2);
  for (const item of ["a", "b", "c"]) void send(item);
  await expect.poll(() => ran.map(({ items }) => items)).toEqual([["a", "b"], ["c"]]);
});

test("when a batch fails, each of its items rejects", async () => {
  const send = createTickBatch(() => Promise.reject(new Error("no")), 10);
  const outcomes = await Promise.allSettled(["a", "b"].map(send));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
