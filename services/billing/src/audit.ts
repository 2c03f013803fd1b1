import type { JsonObject } from "@bufbuild/protobuf";
import { newId } from "@tollgate/core/ids";
import type { Prisma } from "./generated/client.ts";

/** Who makes a change. */
export interface AuditActor {
  kind: "operator" | "member" | "token" | "local";
  id: string;
  name: string;
}

export interface Change {
  /** The rpc. */
  action: string;
  subjectKind:
    | "account"
    | "member"
    | "invitation"
    | "key"
    | "wallet"
    | "payment"
    | "request"
    | "code"
    | "operator"
    | "token"
    | "slot"
    | "provider"
    | "secret"
    | "catalog";
  subjectId: string;
  accountId?: string;
  /** The subject as JSON. Members that are the same before and after are left out. No secrets. */
  before?: JsonObject;
  after?: JsonObject;
  /** Of a change that may be repeated: a second record with the same reference is not written. */
  reference?: string;
}

/** Writes what an actor changed, or has read. Call it within the transaction of the change. */
export async function recordChange(
  database: Prisma.TransactionClient,
  actor: AuditActor,
  { before = {}, after = {}, ...change }: Change,
): Promise<void> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(before[name], after[name]));
  const record = {
    ...change,
    id: newId("audit"),
    actorKind: actor.kind,
    actorId: actor.id,
    // The list finds the names of members, which are deleted with what else is stored of them.
    actorName: actor.kind === "member" ? "" : actor.name,
    before: pick(before, changed),
    after: pick(after, changed),
  };
  await database.auditRecord.createMany({ data: [record], skipDuplicates: true });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function pick(object: JsonObject, names: readonly string[]): Prisma.InputJsonObject {
  const members = names.flatMap((name) => (name in object ? [[name, object[name]]] : []));
  return Object.fromEntries(members);
}
