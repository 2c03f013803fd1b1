import { GatewayError } from "@tollgate/core/errors";
import { SealError, type SecretsKey } from "@tollgate/core/secrets-key";
import { type AuditActor, recordChange } from "../audit.ts";
import type { PrismaClient } from "../generated/client.ts";
import { contentName } from "./content-key.ts";

const batchRows = 500;

/**
 * Wraps the data keys of stored contents that another key wraps by the first one. Resolves with their number.
 * Throws `invalid_param` for one that no key of the variable unwraps; those before it are done.
 */
export async function rewrapContents(
  prisma: PrismaClient,
  actor: AuditActor,
  key: SecretsKey,
): Promise<number> {
  let rewrapped = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const last: { rows: number; requestId: string | undefined } = await rewrapBatch(
      prisma,
      key,
      after,
    );
    rewrapped += last.rows;
    after = last.requestId;
  }
  await recordChange(prisma, actor, {
    action: "RekeySecrets",
    ...{ subjectKind: "secret", subjectId: key.id },
    after: { rewrapped_contents: rewrapped },
  });
  return rewrapped;
}

async function rewrapBatch(prisma: PrismaClient, key: SecretsKey, after: string) {
  const rows = await prisma.requestContent.findMany({
    where: { requestId: { gt: after }, keyId: { not: key.id } },
    select: { requestId: true, accountId: true, wrappedKey: true, keyId: true },
    orderBy: { requestId: "asc" },
    take: batchRows,
  });
  for (const { requestId, accountId, ...wrapped } of rows) {
    const { wrappedKey, keyId } = rewrap(key, contentName(requestId, accountId), wrapped);
    // It may be deleted meanwhile.
    await prisma.requestContent.updateMany({
      where: { requestId },
      data: { wrappedKey: new Uint8Array(wrappedKey), keyId },
    });
  }
  return { rows: rows.length, requestId: rows.at(-1)?.requestId };
}

function rewrap(key: SecretsKey, name: string, wrapped: { wrappedKey: Uint8Array; keyId: string }) {
  try {
    return key.rewrap(name, { ciphertext: new Uint8Array(), ...wrapped });
  } catch (error) {
    if (error instanceof SealError) throw new GatewayError("invalid_param", `${error.message}.`);
    throw error;
  }
}
