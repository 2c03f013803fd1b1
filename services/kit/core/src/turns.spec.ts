import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("work runs one after another, also behind work that fails", async () => {
  const inTurn = createTurns(3, "busy");
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    inTurn(async () => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(events).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("a call beyond the most that may wait is refused, until there is room", async () => {
  const inTurn = createTurns(2, "busy");
  const running = [inTurn(async () => 1), inTurn(async () => 2)];
  const refused = { code: "rate_limited", message: "busy", retryAfterSeconds: 5 };
  await expect(inTurn(async () => 3)).rejects.toMatchObject(refused);
  expect(await Promise.all(running)).toEqual([1, 2]);
  expect(await inTurn(async () => 4)).toBe(4);
});
