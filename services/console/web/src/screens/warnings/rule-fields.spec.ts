import { WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import { expect, test } from "vitest";
import { InputError } from "../../ui/form.tsx";
import { readRules, ruleFields, ruleText, thresholdTexts } from "./rule-fields.ts";

const reader = (values: Record<string, string>) => (name: string) => values[name] ?? "";

test("the rules that a form shows are those that it reads", () => {
  const fields = ruleFields(true);
  const texts = { balance: "5.00", budget: "80, 100", statement: "on" };
  const rules = readRules(fields, reader(texts));
  expect(rules).toEqual([
    { kind: WarningKind.BALANCE, threshold: 5_000_000_000n },
    { kind: WarningKind.BUDGET, threshold: 80n },
    { kind: WarningKind.BUDGET, threshold: 100n },
    { kind: WarningKind.STATEMENT, threshold: 0n },
  ]);
  const shown = Object.fromEntries(fields.map((one) => [one.name, thresholdTexts(one, rules)]));
  expect(readRules(fields, reader(shown))).toEqual(rules);
});

test("the page knows every rule of the gateway", () => {
  const fields = ruleFields(false);
  const kinds = [
    WarningKind.PROVIDER,
    WarningKind.CATALOG,
    WarningKind.PAYMENT,
    WarningKind.INVOICE,
    WarningKind.UNCOLLECTED,
  ];
  expect(fields.map(({ kind }) => kind)).toEqual(kinds);
  for (const kind of kinds) expect(ruleText({ kind, threshold: 1n })).not.toContain("not know");
});

test("what is no threshold is an error that names the field", () => {
  for (const text of ["-1", "x", "80,", "1.5"]) {
    const read = () => readRules(ruleFields(true), reader({ budget: text }));
    expect(read).toThrow(InputError);
    expect(read).toThrow(/Budget spent/);
  }
});
