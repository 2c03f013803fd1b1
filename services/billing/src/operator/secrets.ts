import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { withEachKey } from "@tollgate/catalog/key-pool";
import { type Catalog, secretNamesOf } from "@tollgate/catalog/model";
import { secretName } from "@tollgate/catalog/secret-name";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { SealError, type SecretsKey } from "@tollgate/core/secrets-key";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import { rewrapContents } from "../contents/rewrap-contents.ts";
import type { Prisma, ProviderSecret } from "../generated/client.ts";
import { hintOf } from "../secrets/secret-hint.ts";
import { maxSecrets, newSecretVersion } from "../secrets/secret-store.ts";
import type { OperatorParts } from "./parts.ts";

const maxValueLength = 8_192;
/** What can be sent in a header. */
const printable = /^[\x21-\x7e]+$/;

/** The operator's calls about the providers' keys that are stored. */
export function implementSecrets(parts: OperatorParts) {
  const { prisma, catalog, secretsKey, contentKey, notices, actor, now } = parts;
  return {
    async setSecret({ name, value: text }) {
      const key = requireKey(secretsKey);
      checkName(name);
      const value = text.trim();
      checkValue(value);
      const row = {
        ...rowOf(key.seal(name, value)),
        hint: hintOf(value),
        setByKind: actor.kind,
        setBy: actor.name,
        setAt: now(),
      };
      const secret = await changeSecrets(prisma, async (transaction) => {
        const before = await transaction.providerSecret.findUnique({ where: { name } });
        if (before === null) await requireRoom(transaction);
        const after = await transaction.providerSecret.upsert({
          where: { name },
          create: { name, ...row },
          update: row,
        });
        await recordChange(transaction, actor, {
          ...subject("SetSecret", name),
          ...(before && { before: auditOf(before) }),
          after: auditOf(after),
        });
        return after;
      });
      notices.publish("secret.changed", name);
      return { secret: toMessage(secret, catalog(), secretsKey) };
    },
    async listSecrets() {
      const secrets = await prisma.providerSecret.findMany({
        orderBy: { name: "asc" },
        take: maxSecrets,
      });
      const inUse = catalog();
      const stored = new Set(secrets.map(({ name }) => name));
      return {
        secrets: secrets.map((secret) => toMessage(secret, inUse, secretsKey)),
        missing: [...secretNamesOf(inUse)].filter((name) => !stored.has(name)).sort(),
      };
    },
    async removeSecret({ name }) {
      await changeSecrets(prisma, async (transaction) => {
        const before = await transaction.providerSecret.findUnique({ where: { name } });
        if (before === null) throw notFound(name);
        const users = providersOf(name, catalog());
        if (users.length > 0) {
          throw invalidParam("name", `is the key of ${users.join(", ")} in the catalog in use`);
        }
        await transaction.providerSecret.delete({ where: { name } });
        await recordChange(transaction, actor, {
          ...subject("RemoveSecret", name),
          before: auditOf(before),
        });
      });
      notices.publish("secret.changed", name);
      return {};
    },
    async rekeySecrets() {
      const key = contentKey === undefined ? requireKey(secretsKey) : secretsKey;
      const rewrapped = key === undefined ? 0 : await rekey(prisma, actor, key);
      if (contentKey === undefined) return { rewrapped };
      return { rewrapped, rewrappedContents: await rewrapContents(prisma, actor, contentKey) };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Wraps the secrets that another key wraps. Resolves with their number. */
function rekey(
  prisma: OperatorParts["prisma"],
  actor: OperatorParts["actor"],
  key: SecretsKey,
): Promise<number> {
  return changeSecrets(prisma, async (transaction) => {
    const rows = await transaction.providerSecret.findMany({ where: { keyId: { not: key.id } } });
    for (const row of rows) await rewrap(transaction, key, row);
    await recordChange(transaction, actor, {
      ...subject("RekeySecrets", key.id),
      after: { rewrapped: rows.length },
    });
    return rows.length;
  });
}

/** Runs a change of secrets in a transaction. Changes take turns; reads do not wait. */
function changeSecrets<Result>(
  prisma: OperatorParts["prisma"],
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE provider_secret IN SHARE ROW EXCLUSIVE MODE`;
    return work(transaction);
  });
}

async function rewrap(
  transaction: Prisma.TransactionClient,
  key: SecretsKey,
  { name, ciphertext, wrappedKey, keyId }: ProviderSecret,
): Promise<void> {
  try {
    const data = rowOf(key.rewrap(name, { ciphertext, wrappedKey, keyId }));
    await transaction.providerSecret.update({ where: { name }, data });
  } catch (error) {
    if (error instanceof SealError) throw new GatewayError("invalid_param", `${error.message}.`);
    throw error;
  }
}

/** Returns the columns of a sealed secret, which is a new version. */
function rowOf({ ciphertext, wrappedKey, keyId }: ReturnType<SecretsKey["seal"]>) {
  return {
    version: newSecretVersion(),
    ciphertext: new Uint8Array(ciphertext),
    wrappedKey: new Uint8Array(wrappedKey),
    keyId,
  };
}

function requireKey(key: SecretsKey | undefined): SecretsKey {
  if (key !== undefined) return key;
  const message =
    "The gateway cannot store secrets: TOLLGATE_SECRETS_KEY is not set for billing and the services that call providers.";
  throw new GatewayError("invalid_param", message);
}

function checkName(name: string): void {
  const parsed = secretName.safeParse(name);
  if (!parsed.success) throw invalidParam("name", parsed.error.issues[0]?.message ?? "is invalid");
}

function checkValue(value: string): void {
  if (value === "") throw invalidParam("value", "is required");
  if (value.length > maxValueLength) {
    throw invalidParam("value", `must have at most ${maxValueLength} characters`);
  }
  if (!printable.test(value)) {
    throw invalidParam("value", "must have only printable ASCII characters, and no white space");
  }
}

async function requireRoom(transaction: Prisma.TransactionClient): Promise<void> {
  if ((await transaction.providerSecret.count()) < maxSecrets) return;
  throw new GatewayError("invalid_param", `There are ${maxSecrets} secrets already.`);
}

function notFound(name: string): GatewayError {
  const shown = JSON.stringify(name.slice(0, 64));
  return new GatewayError("not_found", `No secret is called ${shown}.`, { param: "name" });
}

function subject(action: string, subjectId: string) {
  return { action, subjectKind: "secret", subjectId } as const;
}

/** What the audit log has of a secret. Who set it, and when, is in the record itself. */
function auditOf({ hint, version }: ProviderSecret) {
  return { hint, version };
}

function providersOf(secret: string, { providers }: Catalog): string[] {
  const users = [...providers.values()].filter((provider) =>
    withEachKey(provider).some((one) => one.secret === secret),
  );
  return users.map(({ name }) => name).sort();
}

function toMessage(
  { name, hint, setByKind, setBy, setAt, lastUsedAt, keyId }: ProviderSecret,
  catalog: Catalog,
  key: SecretsKey | undefined,
) {
  return {
    ...{ name, hint, setByKind, setBy },
    setAt: timestampFromDate(setAt),
    ...(lastUsedAt && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    providers: providersOf(name, catalog),
    isWrappedByFirst: keyId === key?.id,
  };
}
