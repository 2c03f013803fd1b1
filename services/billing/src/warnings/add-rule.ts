import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { type WarningKind, WarningRulesSchema } from "@tollgate/proto/tollgate/v1/warning";
import type { Prisma } from "../generated/client.ts";
import { maxRules } from "./warning-messages.ts";

/** Rules that were changed are due at once. */
const never = new Date(0);

/**
 * Adds a rule without a threshold to those of an account; of the gateway where the id is empty. An account that has
 * it, or has as many rules as it may have, keeps its rules.
 */
export async function addWarningRule(
  transaction: Prisma.TransactionClient,
  accountId: string,
  kind: WarningKind,
): Promise<void> {
  const settings = await transaction.warningSettings.findUnique({ where: { accountId } });
  const { rules } = fromJson(WarningRulesSchema, (settings?.rules ?? {}) as JsonObject);
  if (rules.length >= maxRules || rules.some((rule) => rule.kind === kind)) return;
  const all = create(WarningRulesSchema, { rules: [...rules, { kind, threshold: 0n }] });
  const data = { rules: toJson(WarningRulesSchema, all) as object, checkedAt: never };
  await transaction.warningSettings.upsert({
    where: { accountId },
    create: { accountId, ...data },
    update: data,
  });
}
