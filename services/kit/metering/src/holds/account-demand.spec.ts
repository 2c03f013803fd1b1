import { expect, test } from "vitest";
import { AccountDemand } from "./account-demand.ts";

test("what requests needed is what was held of them at once, and what they spent", () => {
  const demand = new AccountDemand();
  for (let index = 0; index < 10; index += 1) {
    demand.began(100n);
    demand.began(100n);
    demand.ended(100n, 10n);
    demand.ended(100n, 500n);
  }
  expect(demand.turn()).toEqual({ requests: 20, needed: 200n + 10n * 110n });
  demand.began(100n);
  demand.ended(100n, 10n);
  expect(demand.turn()).toEqual({ requests: 1, needed: 100n });
  expect(demand.turn()).toEqual({ requests: 0, needed: 0n });
});

test("requests that last count in the round that they began in alone", () => {
  const demand = new AccountDemand();
  for (let index = 0; index < 50; index += 1) demand.began(100n);
  expect(demand.turn().needed).toBe(5_000n);
  demand.began(100n);
  expect(demand.turn().needed).toBe(100n);
});

test("a hold that grows is needed with what it grew by", () => {
  const demand = new AccountDemand();
  demand.began(100n);
  demand.grew(50n);
  expect(demand.turn()).toEqual({ requests: 1, needed: 150n });
  expect(demand.isIdle).toBe(false);
  demand.ended(150n, 0n);
  expect(demand.isIdle).toBe(true);
});

test("an account rests where nothing was under way between two looks", () => {
  const demand = new AccountDemand();
  expect([demand.rests(), demand.rests()]).toEqual([false, true]);
  demand.began(100n);
  expect(demand.rests()).toBe(false);
  demand.ended(100n, 10n);
  expect(demand.rests()).toBe(false);
  demand.began(100n);
  demand.ended(100n, 10n);
  expect([demand.rests(), demand.rests()]).toEqual([false, true]);
});
