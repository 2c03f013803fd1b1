import { create } from "@bufbuild/protobuf";
import { AuditRecordSchema } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { changesOf } from "./audit-changes.ts";

const change = (before: string, after: string) =>
  changesOf(create(AuditRecordSchema, { before, after }));

test("only members that differ are listed, with money as money", () => {
  expect(
    change('{"balance_nano_usd":"5","name":"a"}', '{"balance_nano_usd":"1500000000","name":"a"}'),
  ).toEqual([{ name: "balance_nano_usd", was: "$0.000000005", is: "$1.50" }]);
});

test("a role is shown by its name, and what the record itself has is not repeated", () => {
  const after =
    '{"id":"operator_1","role":"OPERATOR_ROLE_OWNER","created_at":"2026-11-23T00:00:00Z"}';
  expect(change("", after)).toEqual([{ name: "role", was: undefined, is: "owner" }]);
});

test("a member that was added has nothing before it, and a text that is no JSON is shown", () => {
  expect(change("", '{"models":["gpt-*"]}')).toEqual([
    { name: "models", was: undefined, is: '["gpt-*"]' },
  ]);
  expect(change("", "broken")).toEqual([{ name: "", was: undefined, is: "broken" }]);
});

test("members of members are listed each, with amounts and periods in words", () => {
  const limits = (amount: string) =>
    `{"limits":{"limits":{"budget":{"amount_nano_usd":"${amount}","period":"BUDGET_PERIOD_DAY"}}}}`;
  expect(change("{}", limits("1500000000"))).toEqual([
    { name: "limits.budget.amount_nano_usd", was: undefined, is: "$1.50" },
    { name: "limits.budget.period", was: undefined, is: "day" },
  ]);
  expect(change(limits("1000000000"), limits("2000000000"))).toEqual([
    { name: "limits.budget.amount_nano_usd", was: "$1.00", is: "$2.00" },
  ]);
  expect(change("", '{"limits":{"limits":{}}}')).toEqual([]);
});
