import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { consoleRules } from "../access/permissions.ts";
import { requireRule } from "../access/require-rule.ts";
import { addressOf } from "./call-context.ts";
import type { ConsoleCallParts } from "./console-call-parts.ts";

/** Returns the calls by which people read what is stored of them, and change their credentials. */
export function implementCredentials({ sessions, identities, issuer }: ConsoleCallParts) {
  function callerOf(context: HandlerContext) {
    return { sessionHash: sessions.hash(context.requestHeader), address: addressOf(context) };
  }

  return {
    async exportOwnData({ beforeAct }, { requestHeader }) {
      await requireRule(sessions, consoleRules.exportOwnData, requestHeader);
      const sessionHash = sessions.hash(requestHeader);
      const { document, nextAct } = await identities.exportPerson({ sessionHash, beforeAct });
      return { document, nextAct };
    },
    async setPassword({ presentPassword, newPassword }, context) {
      await requireRule(sessions, consoleRules.setPassword, context.requestHeader);
      const passwords = { presentPassword, newPassword };
      await identities.changePassword({ ...callerOf(context), ...passwords });
      return {};
    },
    async setUpSecondFactor({ presentPassword }, context) {
      await requireRule(sessions, consoleRules.setUpSecondFactor, context.requestHeader);
      const request = { ...callerOf(context), presentPassword, issuer };
      const { secret, uri } = await identities.createSecondFactor(request);
      return { secret, uri };
    },
    async confirmSecondFactor({ code }, context) {
      await requireRule(sessions, consoleRules.confirmSecondFactor, context.requestHeader);
      const request = { ...callerOf(context), code };
      const { recoveryCodes } = await identities.enableSecondFactor(request);
      return { recoveryCodes };
    },
    async turnOffSecondFactor({ code }, context) {
      await requireRule(sessions, consoleRules.turnOffSecondFactor, context.requestHeader);
      await identities.disableSecondFactor({ ...callerOf(context), code });
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof ConsoleService>>;
}
