import { create, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@tollgate/core/log";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { authorizeCall, confineRequest } from "../access/authorize.ts";
import { concealProviders, refuseProviders } from "../access/conceal.ts";
import { operatorRules, type Rule } from "../access/permissions.ts";
import type { SignedInSessions } from "../access/sessions.ts";
import { toConnectError } from "./connect-error.ts";

/** Most calls are short; some sum many rows. */
const timeoutMs = 60_000;
/** A verification reads every entry, or lists every payment. Statements are of every account. */
const verifyTimeoutMs = 60 * 60_000;
const verifications = new Set(["verifyLedger", "verifyPayments", "issueStatements"]);

export interface OperatorCallParts {
  sessions: SignedInSessions;
  identities: Client<typeof IdentityService>;
  log: Log;
}

/** Returns the calls of OperatorService: each is authorised, and forwarded to billing. */
export function forwardOperatorCalls({
  sessions,
  identities,
  log,
}: OperatorCallParts): ServiceImpl<typeof OperatorService> {
  async function forward(
    method: DescMethod,
    rule: Rule,
    request: Message,
    context: HandlerContext,
  ) {
    const identity = await sessions.require(context.requestHeader);
    authorizeCall(identity, rule);
    const isCustomer = identity.role === OperatorRole.CUSTOMER;
    if (isCustomer) refuseProviders(method.input, request);
    const confined = create(method.input, confineRequest(request, identity, rule));
    const { response: bytes } = await identities.operate(
      {
        ...(identity.actor && { actor: identity.actor }),
        method: method.name,
        request: toBinary(method.input, confined),
      },
      {
        signal: context.signal,
        timeoutMs: verifications.has(method.localName) ? verifyTimeoutMs : timeoutMs,
      },
    );
    const response = fromBinary(method.output, bytes);
    if (isCustomer) concealProviders(method.output, response);
    return response;
  }

  const calls = OperatorService.methods.map((method) => {
    const rule = operatorRules[method.localName as keyof typeof operatorRules];
    const call = (request: Message, context: HandlerContext) =>
      forward(method, rule, request, context).catch((error) => {
        throw toConnectError(error, log);
      });
    return [method.localName, call];
  });
  return Object.fromEntries(calls) as ServiceImpl<typeof OperatorService>;
}
