import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { SharedHold, type TakenPart } from "./shared-hold.ts";

const extension = { held: "hold", everyMs: 20_000, dueAtMs: 0, index: -1 };
const held = { id: "hold", expiresInMs: 60_000, extension };
const minute = { limit: 100n, remaining: 40n, resetMs: 60_000 };

function holdOf(isLimited: boolean, amountNanoUsd: bigint, others = 1_000) {
  const amounts = {
    amountNanoUsd,
    requests: others,
    tokens: BigInt(others),
    inProgress: others,
  };
  const requestedAtMs = performance.now();
  return new SharedHold({ ...held, amounts, requestedAtMs, isLimited });
}

test("whatever the requests do, the ledger holds what is unused, reserved, and not yet captured", () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("reserve" as const),
      part: fc.record({ amount: fc.bigInt(0n, 400n), tokens: fc.bigInt(0n, 40n) }),
    }),
    fc.record({
      kind: fc.constant("settle" as const),
      used: fc.record({ amount: fc.bigInt(0n, 500n), tokens: fc.bigInt(0n, 60n) }),
    }),
    fc.record({ kind: fc.constant("leave" as const) }),
    fc.record({ kind: fc.constant("close" as const) }),
  );
  const property = fc.property(
    fc.bigInt(1n, 1_000n),
    fc.integer({ min: 1, max: 60 }),
    fc.array(step),
    (amountNanoUsd, others, steps) => {
      const hold = holdOf(true, amountNanoUsd, others);
      const parts: TakenPart[] = [];
      const ledger = {
        amountNanoUsd,
        requests: others,
        tokens: BigInt(others),
        inProgress: others,
      };
      let isOpen = true;
      const unused = () =>
        isOpen
          ? {
              amountNanoUsd: ledger.amountNanoUsd - sum(parts.map(({ amount }) => amount)),
              requests: ledger.requests,
              tokens: ledger.tokens - sum(parts.map(({ tokens }) => tokens)),
              inProgress:
                ledger.inProgress - parts.filter(({ inProgress }) => inProgress === 1).length,
            }
          : { amountNanoUsd: 0n, requests: 0, tokens: 0n, inProgress: 0 };
      for (const one of steps) {
        if (one.kind === "reserve") {
          const free = unused();
          const { amount, tokens } = one.part;
          const fits =
            isOpen &&
            amount <= free.amountNanoUsd &&
            tokens <= free.tokens &&
            free.requests > 0 &&
            free.inProgress > 0;
          expect(hold.reserve(one.part)).toBe(fits);
          if (!fits) continue;
          parts.push({ ...one.part, inProgress: 1 });
          ledger.requests -= 1;
        } else if (one.kind === "settle") {
          const part = parts.shift();
          if (part === undefined) continue;
          const taken = hold.settle(part, one.used);
          expect(taken).toEqual(
            isOpen
              ? {
                  amount: least(part.amount, one.used.amount),
                  tokens: least(part.tokens, one.used.tokens),
                  inProgress: 0,
                }
              : part,
          );
          ledger.amountNanoUsd -= taken.amount;
          ledger.tokens -= taken.tokens;
          ledger.inProgress -= taken.inProgress;
          hold.removeRequest();
        } else if (one.kind === "leave") {
          const part = parts.find(({ inProgress }) => inProgress === 1);
          if (part === undefined) continue;
          part.inProgress = 0;
          // A closed hold lets the ledger do it.
          if (!hold.returnPlace()) ledger.inProgress -= 1;
        } else {
          const released = unused();
          expect(hold.close()).toEqual(released);
          ledger.amountNanoUsd -= released.amountNanoUsd;
          ledger.requests -= released.requests;
          ledger.tokens -= released.tokens;
          ledger.inProgress -= released.inProgress;
          isOpen = false;
        }
        expect(hold.isInUse).toBe(isOpen || parts.length > 0);
      }
      const rest = hold.close();
      ledger.amountNanoUsd -= rest.amountNanoUsd;
      ledger.tokens -= rest.tokens;
      ledger.inProgress -= rest.inProgress;
      for (const part of parts) {
        const taken = hold.settle(part, { amount: 0n, tokens: 0n });
        ledger.amountNanoUsd -= taken.amount;
        ledger.tokens -= taken.tokens;
        ledger.inProgress -= taken.inProgress;
      }
      expect([ledger.amountNanoUsd, ledger.tokens, ledger.inProgress]).toEqual([0n, 0n, 0]);
    },
  );
  fc.assert(property);
});

test("without limits, only the money of a shared hold is counted", () => {
  const hold = holdOf(false, 100n, 1);
  const part = { amount: 40n, tokens: 1_000n, inProgress: 0 };
  expect([hold.reserve(part), hold.reserve(part), hold.reserve(part)]).toEqual([true, true, false]);
  expect(hold.settle(part, { amount: 10n, tokens: 2n })).toEqual({
    amount: 10n,
    tokens: 0n,
    inProgress: 0,
  });
});

test("the rates of a shared hold are what was left beside it and what is unused in it", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const hold = new SharedHold({
    ...held,
    amounts: { amountNanoUsd: 100n, requests: 3, tokens: 50n, inProgress: 3 },
    requestedAtMs: performance.now(),
    isLimited: true,
    rates: { requests: minute, tokens: minute },
  });
  const part = { amount: 10n, tokens: 20n, inProgress: 1 };
  hold.reserve(part);
  vi.advanceTimersByTime(1_000);
  expect(hold.rates).toEqual({
    requests: { limit: 100n, remaining: 42n, resetMs: 59_000 },
    tokens: { limit: 100n, remaining: 70n, resetMs: 59_000 },
  });
  hold.settle(part, { amount: 10n, tokens: 5n });
  expect(hold.rates?.tokens?.remaining).toBe(85n);
  vi.useRealTimers();
});

const sum = (quantities: readonly bigint[]) => quantities.reduce((all, one) => all + one, 0n);
const least = (one: bigint, other: bigint) => (one < other ? one : other);
