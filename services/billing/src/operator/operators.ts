import { toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { invalidParam } from "@tollgate/core/errors";
import {
  OperatorRole,
  OperatorSchema,
  type OperatorService,
  type UpdateOperatorRequest,
} from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import type { Operator, Prisma } from "../generated/client.ts";
import { toOperator } from "../identity/identity-messages.ts";
import {
  createLink,
  createOperator,
  endCredentials,
  findFirstOwner,
  requireOperator,
  unusedOwnerName,
} from "../identity/operators.ts";
import { readRole, type StoredRole } from "../identity/roles.ts";
import { deleteFactor } from "../identity/second-factors.ts";
import type { OperatorParts } from "./parts.ts";

const maxOperators = 1_000;
/** Any number that no other lock of the schema has: "oper" in ASCII. */
const operatorsLock = 0x6f706572;

/** The operator's calls about operators. */
export function implementOperators(parts: OperatorParts) {
  const { prisma, actor, now } = parts;

  async function create(transaction: Prisma.TransactionClient, name: string, role: StoredRole) {
    const operator = await createOperator(transaction, name, role);
    const after = snapshot(operator);
    const subject = { subjectKind: "operator", subjectId: operator.id } as const;
    const accountId = operator.accountId ?? "";
    const change = { action: "CreateOperator", ...subject, accountId, after };
    await recordChange(transaction, actor, change);
    return operator;
  }

  async function linkTo(transaction: Prisma.TransactionClient, operatorId: string) {
    const { secret, expiresAt } = await createLink(transaction, operatorId, now());
    return { secret, expiresAt: timestampFromDate(expiresAt) };
  }

  async function firstOwner(transaction: Prisma.TransactionClient): Promise<Operator> {
    await takeTurns(transaction);
    const owner = await findFirstOwner(transaction);
    if (owner !== null) return owner;
    const name = await unusedOwnerName(transaction);
    return create(transaction, name, { role: "owner", accountId: null });
  }

  return {
    async createOperator({ name, role, account }) {
      const stored = await readRole(prisma, role, account);
      return prisma.$transaction(async (transaction) => {
        const operator = await create(transaction, name, stored);
        return { operator: toOperator(operator), link: await linkTo(transaction, operator.id) };
      });
    },
    updateOperator: (request) => changeOperator(parts, request),
    async listOperators() {
      const operators = await prisma.operator.findMany({
        // Members of accounts are listed by their accounts.
        where: { OR: [{ role: { not: "customer" } }, { accountId: { not: null } }] },
        include: { secondFactor: true },
        orderBy: [{ name: "asc" }, { id: "asc" }],
        take: maxOperators,
      });
      return { operators: operators.map(toOperator) };
    },
    async createSignInLink({ operatorId }) {
      return prisma.$transaction(async (transaction) => {
        const operator =
          operatorId === ""
            ? await firstOwner(transaction)
            : await requireOperator(transaction, operatorId);
        if (operator.disabledAt !== null || operator.issuer !== "") {
          throw invalidParam("operator_id", "must name a local operator that is not disabled");
        }
        const link = await linkTo(transaction, operator.id);
        const subject = { subjectKind: "operator", subjectId: operator.id } as const;
        await recordChange(transaction, actor, { action: "CreateSignInLink", ...subject });
        return { operator: toOperator(operator), link };
      });
    },
    async removeSecondFactor({ operatorId }) {
      await prisma.$transaction(async (transaction) => {
        await requireOperator(transaction, operatorId);
        if (!(await deleteFactor(transaction, operatorId))) {
          throw invalidParam("operator_id", "names somebody who has no second factor");
        }
        const subject = { subjectKind: "operator", subjectId: operatorId } as const;
        await recordChange(transaction, actor, { action: "RemoveSecondFactor", ...subject });
      });
      return {};
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Changes an operator's role, or disables it and ends its sessions and tokens. */
async function changeOperator(
  { prisma, actor, now }: OperatorParts,
  { operatorId, role, isDisabled }: UpdateOperatorRequest,
) {
  return prisma.$transaction(async (transaction) => {
    await takeTurns(transaction);
    const before = await requireOperator(transaction, operatorId);
    const stored = await changedRole(prisma, before, role);
    const data = { ...stored, ...disabling(before, isDisabled, now()) };
    const include = { secondFactor: true };
    const operator = await transaction.operator.update({
      where: { id: operatorId },
      data,
      include,
    });
    if (before.disabledAt === null && operator.disabledAt !== null) {
      await endCredentials(transaction, operatorId, now());
    }
    await requireAnOwner(transaction, before);
    await recordChange(transaction, actor, {
      action: "UpdateOperator",
      subjectKind: "operator",
      subjectId: operatorId,
      accountId: operator.accountId ?? "",
      before: snapshot(before),
      after: snapshot(operator),
    });
    return { operator: toOperator(operator) };
  });
}

/** Changes of operators take turns, so that two cannot remove the last two owners. */
async function takeTurns(transaction: Prisma.TransactionClient): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${operatorsLock}::bigint)`;
}

async function changedRole(
  prisma: OperatorParts["prisma"],
  { accountId }: Operator,
  role: OperatorRole,
): Promise<Partial<StoredRole>> {
  if (role === OperatorRole.UNSPECIFIED) return {};
  if (role === OperatorRole.CUSTOMER && accountId === null) {
    throw invalidParam("role", "cannot become customer: create another operator with an account");
  }
  return readRole(prisma, role, role === OperatorRole.CUSTOMER ? (accountId ?? "") : "");
}

function disabling(before: Operator, isDisabled: boolean | undefined, now: Date) {
  if (isDisabled === undefined) return {};
  return { disabledAt: isDisabled ? (before.disabledAt ?? now) : null };
}

/** Throws `invalid_param` where the change of an owner has left no other. */
async function requireAnOwner(transaction: Prisma.TransactionClient, before: Operator) {
  if (before.role !== "owner" || before.disabledAt !== null) return;
  const where = { role: "owner", disabledAt: null };
  if ((await transaction.operator.count({ where })) > 0) return;
  throw invalidParam(
    "operator_id",
    "names the last owner, who cannot be disabled or get less rights",
  );
}

function snapshot(operator: Operator) {
  const { lastSignedInAt: _, ...message } = toOperator(operator);
  return toJson(OperatorSchema, message, { useProtoFieldName: true }) as Record<string, string>;
}
