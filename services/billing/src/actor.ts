import { GatewayError } from "@tollgate/core/errors";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import type { AuditActor } from "./audit.ts";

/** Who makes a call, and what the call finds. */
export interface CallActor extends AuditActor {
  /** The only account whose keys it finds. Empty: every account. */
  accountId: string;
  /** Of a member, in that account; else unspecified. */
  memberRole: MemberRole;
}

/** Who uses the CLI on the gateway's own socket. */
export const localActor: CallActor = {
  ...{ kind: "local", id: "", name: "" },
  ...{ accountId: "", memberRole: MemberRole.UNSPECIFIED },
};

/** Returns the member whose keys alone an actor finds: a developer; undefined for any other. */
export function ownKeysOf({ id, memberRole }: CallActor): string | undefined {
  return memberRole === MemberRole.DEVELOPER ? id : undefined;
}

interface OwnedKey {
  id: string;
  accountId: string;
  memberId: string | null;
}

/** Returns whether an actor finds a key. */
export function isVisibleKey(actor: CallActor, key: OwnedKey): boolean {
  const isOfAccount = actor.accountId === "" || key.accountId === actor.accountId;
  const owner = ownKeysOf(actor);
  return isOfAccount && (owner === undefined || key.memberId === owner);
}

/** Throws `not_found` for a key that an actor must not find. */
export function requireVisibleKey(actor: CallActor, key: OwnedKey): void {
  if (isVisibleKey(actor, key)) return;
  throw new GatewayError("not_found", `No key has the id ${key.id}.`, { param: "key_id" });
}
