import fc from "fast-check";
import { expect, test } from "vitest";
import { SharedHold } from "./shared-hold.ts";

test("whatever the requests do, the ledger holds what is unused, reserved, and not yet captured", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("reserve" as const), part: fc.bigInt(1n, 400n) }),
    fc.record({ kind: fc.constant("settle" as const), cost: fc.bigInt(0n, 500n) }),
    fc.record({ kind: fc.constant("close" as const) }),
  );
  const property = fc.property(fc.bigInt(1n, 1_000n), fc.array(step), (amount, steps) => {
    const hold = new SharedHold("hold", amount, 60_000, performance.now());
    const parts: bigint[] = [];
    let inLedger = amount;
    let isOpen = true;
    for (const one of steps) {
      if (one.kind === "reserve") {
        const free = isOpen ? inLedger - sum(parts) : 0n;
        expect(hold.reserve(one.part)).toBe(one.part <= free);
        if (one.part <= free) parts.push(one.part);
      } else if (one.kind === "settle") {
        const part = parts.shift();
        if (part === undefined) continue;
        const taken = hold.settle(part, one.cost);
        const spent = part < one.cost ? part : one.cost;
        expect(taken).toBe(isOpen ? spent : part);
        inLedger -= taken;
        hold.removeRequest();
      } else {
        const back = hold.close();
        expect(back).toBe(isOpen ? inLedger - sum(parts) : 0n);
        inLedger -= back;
        isOpen = false;
      }
      expect(hold.isInUse).toBe(isOpen || parts.length > 0);
    }
    inLedger -= hold.close();
    for (const part of parts) inLedger -= hold.settle(part, 0n);
    expect(inLedger).toBe(0n);
  });
  fc.assert(property);
});

const sum = (parts: readonly bigint[]) => parts.reduce((all, part) => all + part, 0n);
