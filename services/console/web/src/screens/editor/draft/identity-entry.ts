import type { FieldReader } from "../../../ui/form.tsx";
import type { DraftEntry } from "./document.ts";
import { identityMembersOf } from "./vendors.ts";

/**
 * Returns the `identity` of a provider's entry from the fields of a form: `default` where all are empty. What has
 * no field stays as the entry has it.
 */
export function typedIdentity(
  values: FieldReader,
  kind: string,
  { identity }: DraftEntry,
): "default" | Record<string, unknown> {
  const members = identityMembersOf(kind) ?? [];
  const own = new Set(members.map(({ member }) => member));
  const others = Object.entries(settingsOf(identity)).filter(([member]) => !own.has(member));
  const typed = members
    .map(({ member }) => [member, values(identityField(member))] as const)
    .filter(([, value]) => value !== "");
  // What has no field, such as the name of a session, means nothing without them.
  return typed.length === 0 ? "default" : Object.fromEntries([...typed, ...others]);
}

/** Returns the name of the field of a member. */
export function identityField(member: string): string {
  return `identity.${member}`;
}

/** Returns the members of an entry's identity; none for `default`. */
export function settingsOf(identity: unknown): Record<string, unknown> {
  return typeof identity === "object" && identity !== null ? { ...identity } : {};
}
