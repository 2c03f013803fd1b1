import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { type Caller, CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { CallOptions } from "@tollgate/rpc/implementation";
import {
  type Answer,
  endStream,
  type HeadersOf,
  type StreamedAnswer,
  type WholeAnswer,
  writeStream,
  writeWhole,
} from "./answer.ts";
import type { Authenticate, Principal } from "./auth.ts";
import { type Exchange, nameExchange, type Route } from "./exchange.ts";
import type { BalanceGuard } from "./guard.ts";
import type { Claim, Claims } from "./idempotency/claims.ts";
import { createCollector } from "./idempotency/collector.ts";
import type { FoundRecord } from "./idempotency/records.ts";
import { fingerprintOf, readIdempotencyKey } from "./idempotency/request-key.ts";
import { parseJsonObject, readBody } from "./json-body.ts";
import { refuseQuery } from "./query.ts";

export interface BillableParts {
  authenticate: Authenticate;
  guard: BalanceGuard;
  claims: Claims;
}

type Run = (caller: Caller, options: CallOptions) => Promise<Answer> | Answer;

/** What is particular to a route that takes JSON and costs money. */
export interface BillableRoute {
  /** False where an idempotency key is taken and means nothing: a retry runs again. */
  isReplayed?: false;
  /**
   * Reads the body, which was parsed from `text`, and answers how to answer it. Raises
   * `unknown_param` and `invalid_param`, naming the field, before anything is asked of a service.
   */
  parse(body: JsonObject, text: Buffer): Run;
  /** The conversation that a body, once parsed, adds a turn to, as it is stored. */
  conversationOf?(body: JsonObject): string | undefined;
  /** Headers of every answer to a key that is known, an error's too. */
  headers?(principal: Principal): Record<string, string>;
}

/**
 * Serves such a route. Refuses in this order: the key (401, 403), the idempotency key (409), the
 * wallet (402), the body (400), and the rest as the service finds it.
 */
export function billable(parts: BillableParts, route: BillableRoute): Route {
  return async (exchange) => {
    const principal = await parts.authenticate(exchange);
    const headersOf: HeadersOf = () => route.headers?.(principal) ?? {};
    const request: BillableRequest = { route, exchange, principal, headersOf };
    try {
      const idempotencyKey =
        route.isReplayed === false ? undefined : readIdempotencyKey(exchange.req);
      if (idempotencyKey === undefined) await answerAlways(parts, request);
      else await answerOnce(parts, request, idempotencyKey);
    } catch (error) {
      Object.assign(exchange.headers, headersOf());
      if (error instanceof GatewayError && error.code === "credit_balance_exhausted") {
        parts.guard.forget(principal.accountId);
      }
      throw error;
    }
  };
}

interface BillableRequest {
  route: BillableRoute;
  exchange: Exchange;
  principal: Principal;
  headersOf: HeadersOf;
}

async function answerAlways({ guard }: BillableParts, request: BillableRequest): Promise<void> {
  const { route, exchange, principal, headersOf } = request;
  await guard.check(principal.accountId);
  refuseQuery(exchange.req);
  const body = await readBody(exchange);
  const run = route.parse(noteAlias(exchange, parseJsonObject(body)), body);
  const answer = await run(callerOf(request, ""), { signal: exchange.signal });
  if ("body" in answer) writeWhole(exchange, answer, headersOf);
  else if (await writeStream(exchange, answer, headersOf)) endStream(exchange);
}

function noteAlias(exchange: Exchange, body: JsonObject): JsonObject {
  if (typeof body.model === "string") exchange.alias = body.model;
  return body;
}

/**
 * Runs a request of an idempotency key once, also when its client leaves, and replays its answer.
 */
async function answerOnce(
  { claims, guard }: BillableParts,
  request: BillableRequest,
  idempotencyKey: string,
): Promise<void> {
  const { route, exchange, principal, headersOf } = request;
  const { req, requestId, signal } = exchange;
  const { keyId, accountId } = principal;
  const body = await readBody(exchange).catch(async (error: unknown) => {
    await guard.check(accountId);
    throw error;
  });
  const key = { keyId, idempotencyKey, fingerprint: fingerprintOf(req, body) };
  const entered = await claims.enter(key, requestId, signal);
  if ("state" in entered) return replay(exchange, entered, headersOf);
  let run: Run;
  try {
    // What an earlier run may have paid for already, its hold decides.
    if (entered.chargeId === requestId) await guard.check(accountId);
    refuseQuery(req);
    const json = noteAlias(exchange, parseJsonObject(body));
    run = route.parse(json, body);
    const conversationId = route.conversationOf?.(json);
    if (conversationId !== undefined) await entered.link(conversationId);
  } catch (error) {
    await entered.drop();
    throw error;
  }
  try {
    const answer = await run(callerOf(request, entered.chargeId), {});
    if ("body" in answer) await keepAndWrite(request, entered, answer);
    else await writeAndKeep(request, entered, answer);
  } catch (error) {
    if (isRefusal(error)) await entered.drop();
    else await entered.release();
    throw error;
  }
}

/**
 * Whether a run ended without a charge for what its client asked, which another body may mend. A
 * conversation may have been deleted under a stream, which is charged all the same.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.status < 500 && error.code !== "conversation_not_found";
}

async function keepAndWrite(
  { exchange, headersOf }: BillableRequest,
  claim: Claim,
  answer: WholeAnswer,
): Promise<void> {
  const other = await claim.keep(answer);
  if (exchange.signal.aborted) return;
  if (other === undefined) writeWhole(exchange, answer, headersOf);
  else await replay(exchange, other, headersOf);
}

async function writeAndKeep(
  { exchange, headersOf }: BillableRequest,
  claim: Claim,
  answer: StreamedAnswer,
): Promise<void> {
  const collector = createCollector();
  const whole = await writeStream(exchange, answer, headersOf, collector);
  if (!whole) return claim.release();
  await claim.keep({ contentType: answer.contentType, body: collector.whole() });
  endStream(exchange);
}

/** The answer of the run before, under that run's request id. */
async function replay(
  exchange: Exchange,
  { requestId, contentType, body }: FoundRecord,
  headersOf: HeadersOf,
): Promise<void> {
  if (body === undefined) {
    const message =
      "The answer to this Idempotency-Key was delivered and charged, but too large to be kept.";
    throw new GatewayError("idempotency_key_reused", message);
  }
  nameExchange(exchange, requestId);
  exchange.headers["idempotency-replayed"] = "true";
  const answer = { contentType, bytes: body.bytes, events: body.pieces() };
  if (await writeStream(exchange, answer, headersOf)) endStream(exchange);
}

function callerOf({ exchange, principal }: BillableRequest, chargeId: string): Caller {
  const { keyId, accountId } = principal;
  return create(CallerSchema, { requestId: exchange.requestId, keyId, accountId, chargeId });
}
