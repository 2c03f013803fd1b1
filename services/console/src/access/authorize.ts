import { Code, ConnectError } from "@connectrpc/connect";
import type { Identity } from "@tollgate/proto/tollgate/v1/identity";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import type { Rule } from "./permissions.ts";

/**
 * Throws a ConnectError with the code `permission_denied` unless the rule allows the call. A person who must set
 * up a second factor first may make only the calls that do that.
 */
export function authorizeCall(identity: Identity, rule: Rule): void {
  const { role, operator, accountId, memberRole } = identity;
  if (identity.mustSetUpFactor && !rule.setsUpFactor) {
    throw new ConnectError("Set up a second factor first.", Code.PermissionDenied);
  }
  if (operator !== undefined && role === OperatorRole.CUSTOMER && operator.accountId === "") {
    authorizeMember(accountId === "" ? MemberRole.UNSPECIFIED : memberRole, rule);
    return;
  }
  if (role >= rule.role) return;
  const names = OperatorRole[rule.role]?.toLowerCase() ?? "";
  const message = `This call needs the role ${names}${rule.role === OperatorRole.OWNER ? "" : " or a higher one"}.`;
  throw new ConnectError(message, Code.PermissionDenied);
}

function authorizeMember(memberRole: MemberRole, { members }: Rule): void {
  if (members === "anybody") return;
  if (memberRole === MemberRole.UNSPECIFIED) {
    throw new ConnectError("You are a member of no account.", Code.PermissionDenied);
  }
  if (members?.includes(memberRole)) return;
  const names = (members ?? []).map((one) => MemberRole[one]?.toLowerCase());
  const message =
    names.length === 0
      ? "This call is for operators."
      : `This call needs the role ${names.join(" or ")} in the account.`;
  throw new ConnectError(message, Code.PermissionDenied);
}

/**
 * Returns a request as its caller may make it: a customer's is for its own account. Throws a
 * ConnectError with the code `not_found` where it names another.
 */
export function confineRequest<Request extends object>(
  request: Request,
  { role, accountId }: Identity,
  { confinedBy }: Rule,
): Request {
  if (role !== OperatorRole.CUSTOMER || confinedBy !== "account") return request;
  const { account } = request as { account?: string };
  if (account !== "" && account !== accountId) {
    throw new ConnectError(`No account has the id or name ${account}.`, Code.NotFound);
  }
  return { ...request, account: accountId };
}
