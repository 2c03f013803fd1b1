import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { invalidParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { hashOfSecret } from "@tollgate/core/secrets";
import type { ConsoleService, SignInRequest } from "@tollgate/proto/tollgate/v1/console";
import { authorizeCall } from "../access/authorize.ts";
import { consoleRules, type Rule } from "../access/permissions.ts";
import type { SignInMethod } from "../access/sessions.ts";
import { addressOf } from "./call-context.ts";
import { toConnectError } from "./connect-error.ts";
import type { ConsoleCallParts } from "./console-call-parts.ts";
import { implementEntrances } from "./entrance-calls.ts";

/** Returns the calls of ConsoleService. */
export function implementConsole(parts: ConsoleCallParts): ServiceImpl<typeof ConsoleService> {
  const { sessions, identities, version, oidcName } = parts;

  async function allow(rule: Rule, { requestHeader }: HandlerContext): Promise<void> {
    authorizeCall(await sessions.require(requestHeader), rule);
  }

  return withConnectErrors(parts.log, {
    async getSession(_request, { requestHeader, responseHeader }) {
      const [identity, settings] = await Promise.all([
        sessions.find(requestHeader),
        identities.getSignUpSettings({}),
      ]);
      const { mode: signUp, termsUrl, sendsMail } = settings;
      const ways = { oidcName, version, signUp, termsUrl, sendsMail };
      if (identity?.operator === undefined) return ways;
      const gateway = { gatewayUrl: parts.gatewayUrl(), hasPlayground: parts.hasPlayground };
      const cookie = sessions.extend(requestHeader);
      if (cookie !== undefined) responseHeader.append("set-cookie", cookie);
      const { operator, expiresAt, memberships, accountId, memberRole } = identity;
      const account = { memberships, accountId, memberRole };
      return { operator, ...ways, ...gateway, ...account, ...(expiresAt && { expiresAt }) };
    },
    async signIn({ method }, context) {
      const begun = await sessions.begin(signInMethod(method), addressOf(context));
      if (begun === undefined)
        throw new ConnectError(refusals[method.case ?? "password"], Code.Unauthenticated);
      context.responseHeader.append("set-cookie", begun.setCookie);
      const { operator, expiresAt } = begun.identity;
      return { ...(operator && { operator }), ...(expiresAt && { expiresAt }) };
    },
    ...implementEntrances(parts),
    async switchAccount({ accountId }, context) {
      await allow(consoleRules.switchAccount, context);
      const sessionHash = sessions.hash(context.requestHeader);
      await identities.selectAccount({ sessionHash, accountId });
      return {};
    },
    async signOut(_request, { requestHeader, responseHeader }) {
      responseHeader.append("set-cookie", await sessions.end(requestHeader));
      return {};
    },
    async setPassword({ presentPassword, newPassword }, context) {
      await allow(consoleRules.setPassword, context);
      const sessionHash = sessions.hash(context.requestHeader);
      const address = addressOf(context);
      const passwords = { presentPassword, newPassword };
      await identities.changePassword({ sessionHash, address, ...passwords });
      return {};
    },
  });
}

const refusals = {
  linkSecret: "The link is not valid: it works once, for 15 minutes. Create another one.",
  password: "The name or the password is not correct.",
};

function signInMethod(method: SignInRequest["method"]): SignInMethod {
  switch (method.case) {
    case "linkSecret":
      return { case: "linkHash", value: hashOfSecret(method.value) };
    case "password":
      return { case: "password", value: method.value };
    default:
      throw invalidParam("method", "must be link_secret or password");
  }
}

/** Makes every error of the calls one that a client of Connect understands. */
function withConnectErrors(
  log: Log,
  calls: ServiceImpl<typeof ConsoleService>,
): ServiceImpl<typeof ConsoleService> {
  type AnyCall = (request: never, context: HandlerContext) => Promise<unknown>;
  const wrapped = Object.entries(calls).map(([name, call]) => [
    name,
    (request: never, context: HandlerContext) =>
      (call as AnyCall)(request, context).catch((error) => {
        throw toConnectError(error, log);
      }),
  ]);
  return Object.fromEntries(wrapped) as ServiceImpl<typeof ConsoleService>;
}
