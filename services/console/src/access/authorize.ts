import { Code, ConnectError } from "@connectrpc/connect";
import type { Identity } from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import type { Rule } from "./permissions.ts";

/** Throws a ConnectError with the code `permission_denied` unless the rule allows the call. */
export function authorizeCall({ role }: Identity, rule: Rule): void {
  if (role >= rule.role) return;
  const names = OperatorRole[rule.role]?.toLowerCase() ?? "";
  const message = `This call needs the role ${names}${rule.role === OperatorRole.OWNER ? "" : " or a higher one"}.`;
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

/** Throws `not_found` where a response would show a customer the key of another account. */
export function confineResponse(
  request: object,
  response: object,
  { role, accountId }: Identity,
  { confinedBy }: Rule,
): void {
  if (role !== OperatorRole.CUSTOMER || confinedBy !== "key") return;
  const { key } = response as { key?: { accountId: string } };
  if (key?.accountId === accountId) return;
  const { keyId } = request as { keyId?: string };
  throw new ConnectError(`No key has the id ${keyId}.`, Code.NotFound);
}
