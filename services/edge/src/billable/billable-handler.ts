import { type ErrorCode, GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Principal } from "../auth/authenticate.ts";
import type { BalanceGuard } from "../auth/balance-guard.ts";
import { callerOf } from "../auth/caller.ts";
import type { Revocations } from "../auth/revocations.ts";
import { collectedRun, type Run } from "../contents/collected-run.ts";
import type { Contents } from "../contents/contents.ts";
import type { BodyReservation, BodySpace } from "../http/body-space.ts";
import type { KeyedHandler } from "../http/handler.ts";
import { parseJsonObject } from "../http/json-body.ts";
import { type BodyLimit, readBody } from "../http/read-body.ts";
import type { RequestBody } from "../http/request-body.ts";
import {
  endedBy,
  type RequestContext,
  type ResponseHeaders,
  replaceRequestId,
} from "../http/request-context.ts";
import {
  type ExtraHeaders,
  endEarly,
  endStream,
  type FullResponse,
  type StreamedResponse,
  writeResponse,
  writeStream,
} from "../http/response.ts";
import type { Lease, Leases } from "../idempotency/leases.ts";
import type { FoundRecord } from "../idempotency/records.ts";
import { fingerprintOf, readIdempotencyKey } from "../idempotency/request-key.ts";
import { createResponseCollector } from "../idempotency/response-collector.ts";
import type { HandlerRules } from "../routes/route-rules.ts";

export interface BillableDependencies {
  bodies: BodySpace;
  balance: BalanceGuard;
  revocations: Revocations;
  leases: Leases;
  contents: Contents;
  /** The longest that a response of any route may take. */
  maxResponseMs: number;
}

/** The particulars of a route that takes JSON and costs money. */
export interface BillableRoute {
  /**
   * Validates the JSON of a principal's request, which was parsed from `body`, and returns the
   * function that calls the service. Throws `unknown_param` and `invalid_param`, before anything is charged.
   */
  parse(json: JsonObject, body: RequestBody, principal: Principal, context: RequestContext): Run;
  /** Returns the id of the stored conversation that a valid body adds a turn to. */
  conversationOf?(body: JsonObject): string | undefined;
  /**
   * Returns headers of every response to the key, errors included. Those of the response itself, `own`,
   * replace them.
   */
  headers?(principal: Principal, own: ResponseHeaders): ResponseHeaders;
}

/**
 * Returns the handler of a billable route. It checks, in this order, the idempotency key (409), the
 * wallet (402) and the body (400). The service does the other checks.
 */
export function billableHandler(
  dependencies: BillableDependencies,
  rules: HandlerRules,
  route: BillableRoute,
): KeyedHandler {
  return async (context, principal) => {
    const extraHeaders: ExtraHeaders = (own) => route.headers?.(principal, own) ?? {};
    const request: BillableRequest = { rules, route, context, principal, extraHeaders };
    try {
      const idempotencyKey = rules.isReplayed ? readIdempotencyKey(context.req) : undefined;
      if (idempotencyKey === undefined) await run(dependencies, request);
      else await runOnce(dependencies, request, idempotencyKey);
    } catch (error) {
      Object.assign(context.headers, extraHeaders({}));
      if (error instanceof GatewayError && error.code === "credit_balance_exhausted") {
        dependencies.balance.forget(principal.accountId);
      }
      throw error;
    }
  };
}

interface BillableRequest {
  rules: HandlerRules;
  route: BillableRoute;
  context: RequestContext;
  principal: Principal;
  extraHeaders: ExtraHeaders;
}

/** Runs a request without an idempotency key. It is cancelled when its client disconnects. */
async function run(dependencies: BillableDependencies, request: BillableRequest): Promise<void> {
  const { bodies, balance, revocations } = dependencies;
  const { rules, context, principal, extraHeaders } = request;
  await balance.check(principal.accountId);
  rules.checkQuery(context.req);
  const call = await bodies.hold(principal.keyId, async (reservation) => {
    const body = await readBody(context, reservation);
    const json = recordAlias(context, parseJsonObject(body));
    return parse(dependencies, request, json, body);
  });
  const response = await call(callerOf(context, principal), { signal: context.signal });
  if ("body" in response) writeResponse(context, response, extraHeaders);
  else {
    const unwatch = revocations.watch(principal.keyHash, context.end);
    const isComplete = await writeStream(context, response, extraHeaders).finally(unwatch);
    if (isComplete) endStream(context);
  }
}

/** Validates a body. The call that it returns collects the content, where the account stores it. */
function parse(
  { contents }: Pick<BillableDependencies, "contents">,
  { route, rules, context, principal }: BillableRequest,
  json: JsonObject,
  body: RequestBody,
): Run {
  const call = route.parse(json, body, principal, context);
  if (!principal.storesContent) return call;
  const ids = { requestId: context.requestId, accountId: principal.accountId };
  return collectedRun(contents, { ids, body, onlyRequest: rules.isResponseData }, call);
}

function recordAlias(context: RequestContext, json: JsonObject): JsonObject {
  if (typeof json.model === "string") context.alias = json.model;
  return json;
}

/**
 * Runs a request with an idempotency key once, even if its client disconnects or its key is revoked
 * during its response, and stores the response; or replays the stored response.
 */
async function runOnce(
  dependencies: BillableDependencies,
  request: BillableRequest,
  idempotencyKey: string,
): Promise<void> {
  const { context, principal, extraHeaders } = request;
  const started = await dependencies.bodies.hold(principal.keyId, (reservation) =>
    startOnce(dependencies, request, idempotencyKey, reservation),
  );
  if ("state" in started) return replay(context, started, extraHeaders);
  const { lease, call } = started;
  try {
    const response = await call(callerOf(context, principal, lease.chargeId), {});
    if ("body" in response) await storeAndWrite(request, lease, response);
    else {
      const unwatch = dependencies.revocations.watch(principal.keyHash, (error) => {
        context.end(error);
        endEarly(context, response);
      });
      await writeAndStore(request, lease, response).finally(unwatch);
    }
  } catch (error) {
    if (isRejection(error)) await lease.drop();
    else await lease.release();
    throw error;
  }
  const ended = endedBy(context);
  if (ended !== undefined && !context.res.headersSent) throw ended;
}

/** Of an empty wallet, only bodies up to this size are read, to find the response to replay. */
const maxUnpaidBytes = 1024 * 1024;

/**
 * Reads the body of a request with an idempotency key, and acquires its lease. Resolves with the
 * lease and what calls the service, or with the stored response of an earlier run.
 */
async function startOnce(
  dependencies: BillableDependencies,
  request: BillableRequest,
  idempotencyKey: string,
  reservation: BodyReservation,
): Promise<{ lease: Lease; call: Run } | FoundRecord> {
  const { leases, balance } = dependencies;
  const { rules, route, context, principal } = request;
  const { req, requestId, signal } = context;
  const { keyId, accountId } = principal;
  const empty = await emptyWallet(balance, accountId);
  if (empty !== undefined && !(await leases.hasRecord(keyId, idempotencyKey))) throw empty;
  const limit: BodyLimit | undefined = empty && { bytes: maxUnpaidBytes, error: () => empty };
  const body = await readBody(context, reservation, limit).catch((error: unknown) => {
    throw empty ?? error;
  });
  const key = { keyId, idempotencyKey, fingerprint: fingerprintOf(req, body) };
  const acquired = await leases.acquire(key, requestId, signal);
  if ("state" in acquired) return acquired;
  try {
    // An earlier run may have paid already. In that case the hold decides.
    if (acquired.chargeId === requestId) await balance.check(accountId);
    rules.checkQuery(req);
    const json = recordAlias(context, parseJsonObject(body));
    const call = parse(dependencies, request, json, body);
    const conversationId = route.conversationOf?.(json);
    if (conversationId !== undefined) await acquired.link(conversationId);
    return { lease: acquired, call };
  } catch (error) {
    await acquired.drop();
    throw error;
  }
}

/** Resolves with the error for an empty wallet; undefined for one with money. */
async function emptyWallet(
  balance: BalanceGuard,
  accountId: string,
): Promise<GatewayError | undefined> {
  try {
    await balance.check(accountId);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "credit_balance_exhausted") return error;
    throw error;
  }
}

/**
 * Returns whether a run ended without a charge because of the request itself, so that a corrected
 * request may use the key. A conversation can be deleted, and a key revoked or expired, during a
 * stream, which is charged.
 */
function isRejection(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.status < 500 && !endsStreams.has(error.code);
}

const endsStreams: ReadonlySet<ErrorCode> = new Set([
  "conversation_not_found",
  "key_revoked",
  "invalid_api_key",
]);

async function storeAndWrite(
  { context, extraHeaders }: BillableRequest,
  lease: Lease,
  response: FullResponse,
): Promise<void> {
  const other = await lease.store(response);
  if (context.signal.aborted) return;
  if (other === undefined) writeResponse(context, response, extraHeaders);
  else await replay(context, other, extraHeaders);
}

async function writeAndStore(
  { context, extraHeaders }: BillableRequest,
  lease: Lease,
  response: StreamedResponse,
): Promise<void> {
  const collector = createResponseCollector();
  const isComplete = await writeStream(context, response, extraHeaders, collector);
  if (!isComplete) return lease.release();
  await lease.store({ contentType: response.contentType, body: collector.body() });
  if (endedBy(context) === undefined) endStream(context);
}

/** Writes the stored response of an earlier run, under that run's request id. */
async function replay(
  context: RequestContext,
  { requestId, contentType, body }: FoundRecord,
  extraHeaders: ExtraHeaders,
): Promise<void> {
  if (body === undefined) {
    const message =
      "The response to this Idempotency-Key was sent and charged, and is not stored: it was too " +
      "large, or newer responses have replaced it.";
    throw new GatewayError("idempotency_key_reused", message);
  }
  replaceRequestId(context, requestId);
  context.headers["idempotency-replayed"] = "true";
  const response = { contentType, bytes: body.bytes, chunks: body.chunks() };
  if (await writeStream(context, response, extraHeaders)) endStream(context);
}
