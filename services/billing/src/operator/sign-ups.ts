import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GatewayError } from "@tollgate/core/errors";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import type { SignUp } from "../generated/client.ts";
import { erasePerson } from "../members/erasure.ts";
import { openAccountOf } from "../members/sign-ups.ts";
import { toAccount } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxSignUps = 1_000;

/** The operator's calls about people who have signed up and wait for their account. */
export function implementSignUps(parts: OperatorParts) {
  const { prisma, actor, mailing, now } = parts;

  async function requireSignUp(id: string): Promise<SignUp> {
    const found = await prisma.signUp.findFirst({ where: { id, personId: { not: null } } });
    if (found !== null) return found;
    const message = `Nobody waits with the sign-up ${id}.`;
    throw new GatewayError("not_found", message, { param: "sign_up_id" });
  }

  return {
    async listSignUps() {
      const found = await prisma.signUp.findMany({
        where: { personId: { not: null } },
        orderBy: { id: "asc" },
        take: maxSignUps,
      });
      return {
        signUps: found.map(({ id, email, accountName, createdAt }) => ({
          ...{ id, email, accountName, createdAt: timestampFromDate(createdAt) },
        })),
      };
    },
    async approveSignUp({ signUpId }) {
      const found = await requireSignUp(signUpId);
      const account = await openAccountOf(parts, found);
      const { id: accountId, name } = account;
      await prisma.$transaction(async (transaction) => {
        await recordChange(transaction, actor, {
          action: "ApproveSignUp",
          ...{ subjectKind: "account", subjectId: accountId, accountId },
          after: { name },
        });
        await mailing?.outbox.add(transaction, mailing.texts.approved(found.email, name));
      });
      mailing?.outbox.wake();
      return { account: toAccount(account) };
    },
    async refuseSignUp({ signUpId }) {
      const { personId } = await requireSignUp(signUpId);
      await prisma.$transaction(async (transaction) => {
        await transaction.signUp.deleteMany({ where: { id: signUpId } });
        if (personId !== null) await erasePerson(transaction, personId, now());
        await recordChange(transaction, actor, {
          action: "RefuseSignUp",
          ...{ subjectKind: "operator", subjectId: personId ?? "" },
        });
      });
      return {};
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}
