import { expect, test } from "vitest";
import { AccountDemand } from "./account-demand.ts";

test("requests need what they held at once and what they spent", () => {
  const demand = new AccountDemand();
  for (let index = 0; index < 10; index += 1) {
    demand.beginRequest(100n);
    demand.beginRequest(100n);
    demand.endRequest(100n, 10n);
    demand.endRequest(100n, 500n);
  }
  expect(demand.endRound()).toMatchObject({ requests: 20, needed: 200n + 10n * 110n });
  demand.beginRequest(100n);
  demand.endRequest(100n, 10n);
  expect(demand.endRound()).toMatchObject({ requests: 1, needed: 100n });
  expect(demand.endRound()).toMatchObject({ requests: 0, needed: 0n });
});

test("a request that outlasts its round counts in that round only", () => {
  const demand = new AccountDemand();
  for (let index = 0; index < 50; index += 1) demand.beginRequest(100n);
  expect(demand.endRound().needed).toBe(5_000n);
  demand.beginRequest(100n);
  expect(demand.endRound().needed).toBe(100n);
});

test("what a hold grows by is needed too", () => {
  const demand = new AccountDemand();
  demand.beginRequest(100n);
  demand.addHeld(50n);
  expect(demand.endRound()).toMatchObject({ requests: 1, needed: 150n });
  expect(demand.isEmpty).toBe(false);
  demand.endRequest(150n, 0n);
  expect(demand.isEmpty).toBe(true);
});

test("an account is idle when no request was in progress between two checks", () => {
  const demand = new AccountDemand();
  expect([demand.checkIdle(), demand.checkIdle()]).toEqual([false, true]);
  demand.beginRequest(100n);
  expect(demand.checkIdle()).toBe(false);
  demand.endRequest(100n, 10n);
  expect(demand.checkIdle()).toBe(false);
  demand.beginRequest(100n);
  demand.endRequest(100n, 10n);
  expect([demand.checkIdle(), demand.checkIdle()]).toEqual([false, true]);
});

test("requests need the tokens and the places that they had at once", () => {
  const demand = new AccountDemand();
  for (let index = 0; index < 10; index += 1) {
    demand.beginRequest(100n, 50n);
    demand.beginRequest(100n, 50n);
    demand.endRequest(100n, 10n, 50n, 5n);
    demand.endRequest(100n, 10n, 50n, 90n);
  }
  expect(demand.endRound()).toMatchObject({ tokens: 100n + 10n * 55n, inProgress: 2 });
  expect(demand.endRound()).toMatchObject({ tokens: 0n, inProgress: 0 });
});
