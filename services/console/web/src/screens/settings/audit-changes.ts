import type { AuditRecord } from "@tollgate/proto/tollgate/v1/operator";
import { formatMoney } from "../../format/money.ts";

/** One member that a change set, added or removed, as text. */
export interface MemberChange {
  name: string;
  was: string | undefined;
  is: string | undefined;
}

/** Prefixes of the names of enums. */
const enumPrefix = /^(?:OPERATOR_ROLE|BUDGET_PERIOD)_/;

/** Returns the members that differ before and after a change. */
export function changesOf({ before, after }: AuditRecord): MemberChange[] {
  const [was, is] = [flatten(readObject(before)), flatten(readObject(after))];
  const all = new Set([...Object.keys(was), ...Object.keys(is)]);
  const names = [...all].filter((name) => !shownBeside.includes(name));
  return names
    .map((name) => ({ name, was: textOf(name, was[name]), is: textOf(name, is[name]) }))
    .filter((change) => change.was !== change.is);
}

type Members = Readonly<Record<string, unknown>>;

/** Replaces members that are objects by their own members: `limits.budget.amount_nano_usd`. */
function flatten(object: Members, path = ""): Members {
  const parts = Object.entries(object).map(([name, value]) => {
    // A key's limits are one member of what is known of them.
    const full = path !== "" && path.endsWith(name) ? path : `${path}${path && "."}${name}`;
    return isObject(value) ? flatten(value, full) : { [full]: value };
  });
  return Object.assign({}, ...parts);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Members that the record itself has. */
const shownBeside = ["id", "account_id", "created_at"];

/** A text that is no object shows as a member without a name. */
function readObject(text: string): Members {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : { "": value };
  } catch {
    return { "": text };
  }
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const isNano = /nano_?usd$/i.test(name) && /^-?\d+$/.test(String(value));
  if (isNano) return formatMoney(BigInt(String(value)));
  if (typeof value !== "string") return JSON.stringify(value);
  return enumPrefix.test(value) ? value.replace(enumPrefix, "").toLowerCase() : value;
}
