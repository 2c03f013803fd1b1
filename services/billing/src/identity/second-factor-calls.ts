import { invalidParam } from "@tollgate/core/errors";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import { checkPresentPassword, requireLocalSession, selfActor } from "./change-password.ts";
import type { FactorPolicy } from "./factor-policy.ts";
import { identityOfSession } from "./identity-messages.ts";
import type { Passwords } from "./passwords.ts";
import {
  createFactor,
  deleteFactor,
  enableFactor,
  type SecondFactorParts,
  spendCode,
} from "./second-factors.ts";
import { completeSession, findWaitingSession } from "./sessions.ts";
import { admitSignIn, maxCodesByPerson } from "./sign-in-failures.ts";
import { timeCodeUri } from "./time-codes.ts";

/** The calls about second factors, by those who have them. */
export function implementSecondFactors(
  parts: SecondFactorParts & { passwords: Passwords; factorPolicy: FactorPolicy; now(): Date },
) {
  const { prisma, sealer, factorPolicy, now } = parts;

  /** Counts a code as failed before it is checked. Resolves with a function to call if it was right. */
  function admitCode(operatorId: string, address: string) {
    const subject = { name: `code of ${operatorId}`, address, maxByName: maxCodesByPerson };
    return admitSignIn(prisma, subject, now());
  }

  return {
    async completeSession({ sessionHash: hash, address, code }) {
      const sessionHash = new Uint8Array(hash);
      const waiting = await findWaitingSession(prisma, sessionHash, now());
      if (waiting === undefined) return {};
      const { operatorId } = waiting;
      const succeeded = await admitCode(operatorId, address);
      if (!(await spendCode(prisma, sealer, operatorId, code, now()))) return {};
      await succeeded();
      const session = await completeSession(prisma, waiting, now());
      return { identity: identityOfSession(session, factorPolicy) };
    },
    async createSecondFactor({ sessionHash, address, presentPassword, issuer }) {
      const session = await requireLocalSession(prisma, new Uint8Array(sessionHash), now());
      await checkPresentPassword(parts, session, { presentPassword, address }, now());
      const { id, name, email } = session.operator;
      const secret = await createFactor(parts, id, now());
      return { secret, uri: timeCodeUri(secret, { issuer, label: email || name }) };
    },
    async enableSecondFactor({ sessionHash: hash, address, code }) {
      const sessionHash = new Uint8Array(hash);
      const { operator } = await requireLocalSession(prisma, sessionHash, now());
      const { id: operatorId } = operator;
      const succeeded = await admitCode(operatorId, address);
      const recoveryCodes = await prisma.$transaction(async (transaction) => {
        const codes = await enableFactor(transaction, sealer, operatorId, code, now());
        if (codes === undefined) throw wrongCode();
        const others = { operatorId, sessionHash: { not: sessionHash } };
        await transaction.operatorSession.deleteMany({ where: others });
        const subject = { subjectKind: "operator", subjectId: operatorId } as const;
        const change = { action: "ConfirmSecondFactor", ...subject };
        await recordChange(transaction, selfActor(operator), change);
        return codes;
      });
      await succeeded();
      return { recoveryCodes };
    },
    async disableSecondFactor({ sessionHash, address, code }) {
      const { operator } = await requireLocalSession(prisma, new Uint8Array(sessionHash), now());
      const { id: operatorId } = operator;
      const succeeded = await admitCode(operatorId, address);
      await prisma.$transaction(async (transaction) => {
        if (!(await spendCode(transaction, sealer, operatorId, code, now()))) throw wrongCode();
        await deleteFactor(transaction, operatorId);
        const subject = { subjectKind: "operator", subjectId: operatorId } as const;
        const change = { action: "TurnOffSecondFactor", ...subject };
        await recordChange(transaction, selfActor(operator), change);
      });
      await succeeded();
      return {};
    },
  } satisfies Partial<Implementation<typeof IdentityService>>;
}

function wrongCode() {
  return invalidParam("code", "is not correct, or was used before");
}
