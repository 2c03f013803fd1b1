import type { Limits } from "@tollgate/proto/tollgate/v1/limits";
import { type AuditActor, recordChange } from "../audit.ts";
import type { Prisma } from "../generated/client.ts";
import type { StoredKey } from "../keys.ts";
import { keySnapshot } from "./account-messages.ts";

export interface KeyChange {
  before?: StoredKey;
  after: StoredKey;
  limits?: { before?: Limits | undefined; after: Limits } | undefined;
}

/** Records a change of a key. Without `before`, it is new. */
export function recordKey(
  transaction: Prisma.TransactionClient,
  actor: AuditActor,
  action: string,
  { before, after, limits }: KeyChange,
): Promise<void> {
  return recordChange(transaction, actor, {
    action,
    ...{ subjectKind: "key", subjectId: after.id, accountId: after.accountId },
    ...(before && { before: keySnapshot(before, limits?.before) }),
    after: keySnapshot(after, limits?.after),
  });
}
