import { expect, test } from "vitest";
import { createBatchMac } from "./batch-mac.ts";

const payload = Buffer.from("events");

test("a batch is admitted with the MAC of a process that knows the secret, and with no other", () => {
  const mac = createBatchMac("secret").sign(payload);
  const ledger = createBatchMac("secret");
  expect(ledger.admits(payload, mac)).toBe(true);
  expect(ledger.admits(Buffer.from("eventz"), mac)).toBe(false);
  for (const other of [undefined, "", "x", `${mac}A`, createBatchMac("other").sign(payload)]) {
    expect(ledger.admits(payload, other)).toBe(false);
  }
});
