import type { AuditRecord } from "@tollgate/proto/tollgate/v1/operator";
import { formatMoney } from "../../format/money.ts";

/** One member that a change set, added or removed, as text. */
export interface MemberChange {
  name: string;
  was: string | undefined;
  is: string | undefined;
}

const rolePrefix = "OPERATOR_ROLE_";

/** Returns the members that differ before and after a change. */
export function changesOf({ before, after }: AuditRecord): MemberChange[] {
  const [was, is] = [readObject(before), readObject(after)];
  const all = new Set([...Object.keys(was), ...Object.keys(is)]);
  const names = [...all].filter((name) => !shownBeside.includes(name));
  return names
    .map((name) => ({ name, was: textOf(name, was[name]), is: textOf(name, is[name]) }))
    .filter((change) => change.was !== change.is);
}

/** Members that the record itself has. */
const shownBeside = ["id", "account_id", "created_at"];

/** A text that is no object shows as a member without a name. */
function readObject(text: string): Readonly<Record<string, unknown>> {
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
  return value.startsWith(rolePrefix) ? value.slice(rolePrefix.length).toLowerCase() : value;
}
