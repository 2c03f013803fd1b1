import { GatewayError } from "@tollgate/core/errors";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import type { Implementation } from "@tollgate/rpc/implementation";
import { admitMail } from "../mail/mail-limits.ts";
import { readAddress } from "../members/addresses.ts";
import { findPerson } from "../members/persons.ts";
import { beginSignUp, completeSignUp, type SignUpParts } from "../members/sign-ups.ts";
import type { Sealer } from "../sealing.ts";
import type { FactorPolicy } from "./factor-policy.ts";
import { identityOfSession } from "./identity-messages.ts";
import { createLink } from "./operators.ts";
import type { Passwords } from "./passwords.ts";
import { beginSession } from "./sessions.ts";

/** How long a link that resets a password works. */
const resetMs = 60 * 60_000;

/** The calls by which people sign up, and get another password. */
export function implementSignUp(
  parts: SignUpParts & {
    passwords: Passwords;
    sealer: Sealer | undefined;
    factorPolicy: FactorPolicy;
  },
) {
  const { prisma, mailing, signUp, now } = parts;
  return {
    async getSignUpSettings() {
      const { mode, termsUrl } = signUp;
      const offersSecondFactor = parts.sealer !== undefined;
      return { mode, termsUrl, sendsMail: mailing !== undefined, offersSecondFactor };
    },
    async beginSignUp(request) {
      await beginSignUp(parts, request);
      return {};
    },
    async completeSignUp(request) {
      const person = await completeSignUp(parts, request);
      if (person === undefined) return {};
      const sessionHash = new Uint8Array(request.sessionHash);
      const session = { sessionHash, operatorId: person.id, method: "password" } as const;
      const begun = await beginSession(prisma, session, now());
      return { identity: identityOfSession(begun, parts.factorPolicy) };
    },
    async sendPasswordReset({ email: text, clientAddress }) {
      if (mailing === undefined) throw new GatewayError("not_found", "No mail is sent here.");
      const email = readAddress(text);
      // Before it is known whether there is a person, so that the response does not reveal it.
      await admitMail(prisma, { to: email, clientAddress }, now());
      const person = await findPerson(prisma, email);
      if (person === null || person.disabledAt !== null) return {};
      await prisma.$transaction(async (transaction) => {
        const { secret } = await createLink(transaction, person.id, now(), resetMs);
        await mailing.outbox.add(transaction, mailing.texts.reset(email, secret));
      });
      mailing.outbox.wake();
      return {};
    },
  } satisfies Partial<Implementation<typeof IdentityService>>;
}
