import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { invalidParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { hashOfSecret } from "@tollgate/core/secrets";
import type { ConsoleService, SignInRequest } from "@tollgate/proto/tollgate/v1/console";
import type { Identity } from "@tollgate/proto/tollgate/v1/identity";
import { consoleRules } from "../access/permissions.ts";
import { requireRule } from "../access/require-rule.ts";
import type { SignInMethod } from "../access/sessions.ts";
import { addressOf } from "./call-context.ts";
import { toConnectError } from "./connect-error.ts";
import type { ConsoleCallParts } from "./console-call-parts.ts";
import { implementCredentials } from "./credential-calls.ts";
import { implementEntrances } from "./entrance-calls.ts";

/** Returns the calls of ConsoleService. */
export function implementConsole(parts: ConsoleCallParts): ServiceImpl<typeof ConsoleService> {
  const { sessions, identities, version, oidcName } = parts;

  return withConnectErrors(parts.log, {
    async getSession(_request, { requestHeader, responseHeader }) {
      const [identity, settings] = await Promise.all([
        sessions.find(requestHeader),
        identities.getSignUpSettings({}),
      ]);
      const { mode: signUp, termsUrl, sendsMail, offersSecondFactor } = settings;
      const ways = { oidcName, version, signUp, termsUrl, sendsMail, offersSecondFactor };
      if (identity?.operator === undefined) return ways;
      const gateway = { gatewayUrl: parts.gatewayUrl(), hasPlayground: parts.hasPlayground };
      const cookie = sessions.extend(requestHeader);
      if (cookie !== undefined) responseHeader.append("set-cookie", cookie);
      const { operator, expiresAt, memberships, accountId, memberRole, mustSetUpFactor } = identity;
      const account = { memberships, accountId, memberRole, mustSetUpFactor };
      return { operator, ...ways, ...gateway, ...account, ...(expiresAt && { expiresAt }) };
    },
    async signIn({ method }, context) {
      const begun = await sessions.begin(signInMethod(method), addressOf(context));
      if (begun === undefined)
        throw new ConnectError(refusals[method.case ?? "password"], Code.Unauthenticated);
      context.responseHeader.append("set-cookie", begun.setCookie);
      return begun.identity === undefined ? { needsCode: true } : signedIn(begun.identity);
    },
    async enterCode({ code }, context) {
      const { requestHeader, responseHeader } = context;
      const completed = await sessions.complete(requestHeader, code, addressOf(context));
      if (completed === undefined) throw new ConnectError(refusals.code, Code.Unauthenticated);
      responseHeader.append("set-cookie", completed.setCookie);
      return signedIn(completed.identity);
    },
    ...implementEntrances(parts),
    async switchAccount({ accountId }, context) {
      await requireRule(sessions, consoleRules.switchAccount, context.requestHeader);
      const sessionHash = sessions.hash(context.requestHeader);
      await identities.selectAccount({ sessionHash, accountId });
      return {};
    },
    async signOut(_request, { requestHeader, responseHeader }) {
      responseHeader.append("set-cookie", await sessions.end(requestHeader));
      return {};
    },
    ...implementCredentials(parts),
  });
}

function signedIn({ operator, expiresAt }: Identity) {
  return { ...(operator && { operator }), ...(expiresAt && { expiresAt }) };
}

const refusals = {
  linkSecret: "The link is not valid: it works once, for 15 minutes. Create another one.",
  password: "The name or the password is not correct.",
  code: "The code is not correct, or was used before. After 10 minutes, sign in again.",
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
