import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { invalidParam } from "@tollgate/core/errors";
import { hashOfSecret } from "@tollgate/core/secrets";
import type { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { addressOf } from "./call-context.ts";
import type { ConsoleCallParts } from "./console-call-parts.ts";

/** Returns the calls of people without a session: sign-up, invitations and forgotten passwords. */
export function implementEntrances({ sessions, identities }: ConsoleCallParts) {
  return {
    async signUp({ email, accountName, acceptsTerms }, context) {
      const { termsUrl } = await identities.getSignUpSettings({});
      if (termsUrl !== "" && !acceptsTerms) {
        throw invalidParam(
          "accepts_terms",
          "must be true: sign-up needs your consent to the terms",
        );
      }
      const clientAddress = addressOf(context);
      await identities.beginSignUp({ email, accountName, clientAddress });
      return {};
    },
    async confirmSignUp({ secret, name, password }, { responseHeader }) {
      const secretHash = hashOfSecret(secret);
      const begun = await sessions.beginBy(async (sessionHash) => {
        const request = { secretHash, sessionHash, name, password };
        return (await identities.completeSignUp(request)).identity;
      });
      if (begun === undefined) {
        const message = "The link is not valid: it works once, for a day. Sign up again.";
        throw new ConnectError(message, Code.NotFound);
      }
      responseHeader.append("set-cookie", begun.setCookie);
      const { operator } = begun.identity;
      return operator === undefined ? {} : { operator };
    },
    async resetPassword({ email }, context) {
      await identities.sendPasswordReset({ email, clientAddress: addressOf(context) });
      return {};
    },
    async readInvitation({ secret }) {
      const found = await identities.findInvitation({ secretHash: hashOfSecret(secret) });
      const { invitation, accountName, isKnown } = found;
      if (invitation === undefined) throw invalidInvitation();
      return { accountName, isKnown, email: invitation.email, role: invitation.role };
    },
    async joinAccount({ secret, name, password }, { responseHeader }) {
      const secretHash = hashOfSecret(secret);
      const joined = await sessions.beginBy(async (sessionHash) => {
        const request = { secretHash, sessionHash, name, password };
        const { isAccepted, identity } = await identities.acceptInvitation(request);
        if (!isAccepted) throw invalidInvitation();
        return identity;
      });
      if (joined === undefined) return {};
      responseHeader.append("set-cookie", joined.setCookie);
      const { operator } = joined.identity;
      return operator === undefined ? {} : { operator };
    },
  } satisfies Partial<ServiceImpl<typeof ConsoleService>>;
}

function invalidInvitation(): ConnectError {
  const message = "The invitation is not valid: it works once, for 7 days. Ask for another one.";
  return new ConnectError(message, Code.NotFound);
}
