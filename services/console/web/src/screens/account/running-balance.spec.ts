import { create } from "@bufbuild/protobuf";
import { EntrySchema } from "@tollgate/proto/tollgate/v1/ledger";
import { expect, test } from "vitest";
import { withBalances } from "./running-balance.ts";

test("each entry has the balance right after it, counted back from the present one", () => {
  const entries = [-3n, 10n, -2n].map((amountNanoUsd) => create(EntrySchema, { amountNanoUsd }));
  expect(withBalances(entries, 100n).map(({ balance }) => balance)).toEqual([100n, 103n, 93n]);
  expect(withBalances(entries, undefined).map(({ balance }) => balance)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
