import { WarningKind } from "@tollgate/proto/tollgate/v1/warning";
import { formatMoney, parseMoney, plainUsd } from "../../format/money.ts";
import { countOf } from "../../format/numbers.ts";
import { type FieldReader, InputError } from "../../ui/form.tsx";

/** A field of the form of rules. It may have several thresholds, with commas between them. */
export interface RuleField {
  name: string;
  kind: WarningKind;
  label: string;
  hint?: string;
  isMoney?: true;
  /** A rule without a threshold is on or off. */
  isSwitch?: true;
}

interface Rule {
  kind: WarningKind;
  threshold: bigint;
}

const accountFields: readonly RuleField[] = [
  {
    ...{ name: "balance", kind: WarningKind.BALANCE, isMoney: true },
    ...{ label: "Balance below, USD", hint: "Such as 5. Empty: no warning." },
  },
  {
    ...{ name: "days", kind: WarningKind.DAYS_LEFT },
    ...{ label: "Days left fewer than", hint: "At the rate of the last seven days." },
  },
  {
    ...{ name: "budget", kind: WarningKind.BUDGET },
    ...{ label: "Budget spent, percent", hint: "Of the account or a key. Such as 80, 100." },
  },
  {
    ...{ name: "expiry", kind: WarningKind.KEY_EXPIRY },
    ...{ label: "A key expires within, days", hint: "Such as 7." },
  },
  {
    ...{ name: "spend", kind: WarningKind.SPEND },
    ...{
      label: "A day costs more than, times",
      hint: "The usual day of the last seven. Such as 3.",
    },
  },
  {
    ...{ name: "statement", kind: WarningKind.STATEMENT, isSwitch: true },
    ...{ label: "A statement is issued" },
  },
  {
    ...{ name: "auto-top-up", kind: WarningKind.AUTO_TOP_UP, isSwitch: true },
    ...{ label: "Automatic top-ups stop" },
  },
];

const gatewayFields: readonly RuleField[] = [
  {
    ...{ name: "provider", kind: WarningKind.PROVIDER, isSwitch: true },
    ...{ label: "A provider refuses a key" },
  },
  {
    ...{ name: "catalog", kind: WarningKind.CATALOG, isSwitch: true },
    ...{ label: "A process refuses the catalog" },
  },
  {
    ...{ name: "payment", kind: WarningKind.PAYMENT, isSwitch: true },
    ...{ label: "A payment is not credited" },
  },
  {
    ...{ name: "invoice", kind: WarningKind.INVOICE, isSwitch: true },
    ...{ label: "Less is charged than a provider is paid" },
  },
  {
    ...{ name: "uncollected", kind: WarningKind.UNCOLLECTED, isMoney: true },
    ...{ label: "Not collected in a day, more than USD", hint: "Such as 1. Empty: no warning." },
  },
];

/** Returns the fields of the rules of an account, or of the gateway. */
export function ruleFields(isAccount: boolean): readonly RuleField[] {
  return isAccount ? accountFields : gatewayFields;
}

/** Returns the text of a field for the rules that are set. */
export function thresholdTexts(field: RuleField, rules: readonly Rule[]): string {
  const own = rules.filter(({ kind }) => kind === field.kind);
  if (field.isSwitch) return own.length > 0 ? "on" : "";
  const textOf = (threshold: bigint) => (field.isMoney ? plainUsd(threshold) : String(threshold));
  return own.map(({ threshold }) => textOf(threshold)).join(", ");
}

/** Returns the rules of a form. Throws an InputError that names the field. */
export function readRules(fields: readonly RuleField[], values: FieldReader): Rule[] {
  return fields.flatMap((field) => {
    const text = values(field.name);
    if (text === "") return [];
    if (field.isSwitch) return [{ kind: field.kind, threshold: 0n }];
    return text.split(",").map((part) => ({ kind: field.kind, threshold: readOne(field, part) }));
  });
}

function readOne({ label, isMoney }: RuleField, text: string): bigint {
  const trimmed = text.trim();
  const whole = /^\d{1,9}$/.test(trimmed) ? BigInt(trimmed) : undefined;
  const threshold = isMoney ? parseMoney(trimmed) : whole;
  if (threshold !== undefined) return threshold;
  throw new InputError(`“${label}” must be ${isMoney ? "an amount" : "a whole number"}.`);
}

/** Returns a rule as a sentence. */
export function ruleText({ kind, threshold }: Rule): string {
  switch (kind) {
    case WarningKind.BALANCE:
      return `The balance is below ${formatMoney(threshold)}.`;
    case WarningKind.DAYS_LEFT:
      return `The balance lasts for fewer than ${countOf(threshold, "day")}.`;
    case WarningKind.BUDGET:
      return `${threshold} % of a budget is spent.`;
    case WarningKind.KEY_EXPIRY:
      return `A key expires within ${countOf(threshold, "day")}.`;
    case WarningKind.SPEND:
      return `A day costs more than ${threshold} times as much as usual.`;
    case WarningKind.STATEMENT:
      return "A statement is issued.";
    case WarningKind.AUTO_TOP_UP:
      return "Automatic top-ups stop.";
    case WarningKind.PROVIDER:
      return "A provider refuses a key.";
    case WarningKind.CATALOG:
      return "A process refuses the catalog.";
    case WarningKind.UNCOLLECTED:
      return `Wallets could not pay more than ${formatMoney(threshold)} in a day.`;
    case WarningKind.PAYMENT:
      return "A payment was paid and is not credited.";
    case WarningKind.INVOICE:
      return "Less was charged than a provider was paid.";
    default:
      return "A rule that this page does not know.";
  }
}
