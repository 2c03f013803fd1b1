import { create } from "@bufbuild/protobuf";
import { ReadOverviewResponseSchema } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { outagesOf } from "./outages.ts";

const format = (nano: bigint) => `${nano} nano-USD`;

test("nothing is out in an overview of a gateway that is well", () => {
  const well = create(ReadOverviewResponseSchema, { chargedNanoUsd: 5n, queuedMessages: 1_000n });
  expect(outagesOf(well, format)).toEqual([]);
});

test("what is out is named, with the screen that shows more of it", () => {
  const overview = create(ReadOverviewResponseSchema, {
    outSlots: ["a/1", "b/2", "c/3", "d/4"].map((slotId) => ({ slotId, processes: 1 })),
    refusedKeys: [{ provider: "acme", key: "ACME_KEY" }, { provider: "other" }],
    refusingProcesses: [{ name: "chat-1" }],
    queuedMessages: 1_001n,
    uncollectedNanoUsd: 7n,
  });
  expect(outagesOf(overview, format).map(({ text, to }) => [text, to])).toEqual([
    ["Providers refuse their keys: acme ACME_KEY, other", "/"],
    ["4 slots are out: a/1, b/2, c/3 and 1 more", "/models"],
    ["The newest catalog is refused by chat-1", "/catalog"],
    ["The ledger is behind: 1,001 messages wait", "/"],
    ["7 nano-USD of the last 24 hours was not collected", "/activity"],
  ]);
});
