import { create } from "@bufbuild/protobuf";
import type { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import {
  GetRequestRequestSchema,
  KeyOrder,
  ListAccountsRequestSchema,
  ListKeysRequestSchema,
  ListLedgerRequestSchema,
  ListRequestsRequestSchema,
} from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { checkRequest } from "./check-request.ts";

const unknownOrder = 99 as KeyOrder;

test("what lists take is not refused", () => {
  const keys = { account: "acme", search: "%_'\"", order: KeyOrder.NAME, beforeKeyId: "key_1" };
  checkRequest(ListKeysRequestSchema, create(ListKeysRequestSchema, keys));
  const at = { seconds: 1_790_000_000n };
  const ledger = { filter: { from: at, to: at, keyId: "key_1" }, beforeEntryId: "entry_1" };
  checkRequest(ListLedgerRequestSchema, create(ListLedgerRequestSchema, ledger));
});

test.each([
  [GetRequestRequestSchema, { id: "req_\0" }, "id"],
  [ListLedgerRequestSchema, { filter: { keyId: "\0" } }, "filter.key_id"],
  [ListKeysRequestSchema, { order: unknownOrder }, "order"],
  [ListRequestsRequestSchema, { without: [99 as UsageBy] }, "without"],
  [ListAccountsRequestSchema, { beforeAccountId: "entry_1" }, "before_account_id"],
  [ListRequestsRequestSchema, { beforeCursor: "zzz" }, "before_cursor"],
  [ListRequestsRequestSchema, { from: { seconds: 9n }, to: { seconds: 8n } }, "to"],
  [ListLedgerRequestSchema, { filter: { to: { seconds: 10n ** 15n } } }, "filter.to"],
] as const)("what a list cannot have is refused by the name of its field: %#", (schema, fields, param) => {
  const request = create(schema as typeof ListLedgerRequestSchema, fields as object);
  expect(() => checkRequest(schema, request)).toThrowError(
    expect.objectContaining({ code: "invalid_param", param }),
  );
});
