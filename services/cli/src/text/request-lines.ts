import { exactAmount, exactCost, type PicoAmount } from "@tollgate/core/exact-cost";
import { formatPicoUsd, formatUsd } from "@tollgate/core/money";
import { passReasonText } from "@tollgate/core/pass-reasons";
import type { Entry, RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";
import type { Attempt, PassedOverSlot, UsageLine } from "@tollgate/proto/tollgate/v1/usage";
import { exactUsd } from "./amounts.ts";
import { isoTime } from "./times.ts";

/** Returns the lines that follow a request from its hold to its ledger entry. */
export function requestLines(request: RequestRecord, entry: Entry | undefined): string[] {
  const { errorCode, firstTokenMs } = request;
  const first = firstTokenMs === undefined ? "" : `, first token after ${firstTokenMs} ms`;
  const served = request.isPartial ? "ended before it was complete, and billed" : "served";
  const ended = errorCode === "" ? served : `failed: ${errorCode}`;
  return [
    `${request.requestId}  ${isoTime(request.occurredAt)}`,
    field("account", `${request.accountId}, key ${request.keyId}`),
    field(
      "model",
      `${request.alias} (${request.routeType}${request.isStreamed ? ", stream" : ""})`,
    ),
    ...(request.endUser === "" ? [] : [field("end user", request.endUser)]),
    ...(request.conversationId === "" ? [] : [field("conversation", request.conversationId)]),
    ...(request.traceId === "" ? [] : [field("trace", request.traceId)]),
    ...clientFields(request),
    field("result", `${ended}, ${request.durationMs} ms${first}`),
    field("held", `${formatUsd(request.heldNanoUsd)} USD`),
    ...request.attempts.flatMap((attempt, index) =>
      attemptLines(attempt).map((text, at) => field(index + at === 0 ? "attempts" : "", text)),
    ),
    ...request.passedOver.map((slot, index) =>
      field(index === 0 ? "not called" : "", passedOverText(slot)),
    ),
    field("usage", `${request.quantity} ${request.unitType} (${request.basis})`),
    ...(request.providerUsage === "" ? [] : [field("reported", request.providerUsage)]),
    ...priceFields(request),
    field("charged", chargeText(request)),
    ...(request.plan === "" ? [] : [field("plan", request.plan)]),
    ...(request.providerCostNanoUsd === undefined
      ? []
      : [field("provider", `${exactUsd(request.providerCostNanoUsd)} USD`)]),
    ...(entry === undefined ? [] : [field("entry", `${entry.id}  ${isoTime(entry.recordedAt)}`)]),
  ];
}

/** Returns the line of a named value. */
export function field(name: string, text: string): string {
  return `  ${name.padEnd(13)}${text}`;
}

/** What the client was sent, and the ids by which it and its provider know the request. */
function clientFields(request: RequestRecord): string[] {
  const { clientStatus, clientCode, clientMessage, endpoint } = request;
  const { userAgent, clientRequestId } = request;
  const sent =
    clientStatus === 0
      ? "nothing more: the client left"
      : [clientStatus, clientCode].filter(Boolean).join(" ");
  const fields = [
    ["route", endpoint],
    ["client", userAgent],
    ["client's id", clientRequestId],
    ["response id", request.responseId],
    ["created by", [request.creationRequestId, request.creationClientRequestId].join(" ").trim()],
    ["sent", endpoint === "" ? "" : [sent, clientMessage].filter(Boolean).join(": ")],
  ] as const;
  return fields.flatMap(([name, text]) => (text === "" ? [] : [field(name, text)]));
}

function attemptLines(attempt: Attempt): string[] {
  const { provider, upstreamModel, key, startedMs, durationMs, errorCode, status } = attempt;
  const { reason, providerMessage, providerRequestId, providerResponseId } = attempt;
  const result = errorCode === "" ? "served" : `${errorCode}${status === 0 ? "" : ` (${status})`}`;
  const details = [
    [reason, providerMessage].filter(Boolean).join(": "),
    providerRequestId && `provider's request id ${providerRequestId}`,
    providerResponseId && `provider's response id ${providerResponseId}`,
  ];
  const slot = `${provider}/${upstreamModel}${key === "" ? "" : ` with ${key}`}`;
  const call = `${slot}  at ${startedMs} ms for ${durationMs} ms: ${result}`;
  return [call, ...details.filter(Boolean).map((text) => `  ${text}`)];
}

function passedOverText({ provider, upstreamModel, key, reason }: PassedOverSlot): string {
  return `${provider}/${upstreamModel}${key === "" ? "" : ` with ${key}`}  ${passReasonText(reason)}`;
}

/** Each line at its exact amount, and what leads from their sum to the cost. */
function priceFields({ lines, costNanoUsd }: RequestRecord): string[] {
  const { difference, isRounding } = exactCost(lines, costNanoUsd);
  const prices = lines.map((one, index) => field(index === 0 ? "price" : "", priceText(one)));
  if (lines.length === 0 || (difference.pico === 0n && difference.isExact)) return prices;
  const reason = isRounding ? "to a whole 0.000001 USD" : "because the response named this cost";
  const rest = `${exactText(difference)} USD ${reason}`;
  return [...prices, field(isRounding ? "rounded up" : "changed", rest)];
}

function priceText(line: UsageLine): string {
  const { dimension, quantity, pricePicoUsd, per } = line;
  const price = `${formatPicoUsd(pricePicoUsd)} USD per ${per}`;
  return `${dimension}  ${quantity} at ${price} = ${exactText(exactAmount(line))} USD`;
}

/** An amount that has no end in decimals is cut at the pico-dollar. */
function exactText({ pico, isExact }: PicoAmount): string {
  const text = pico < 0n ? `-${formatPicoUsd(-pico)}` : formatPicoUsd(pico);
  return isExact ? text : `${text}…`;
}

function chargeText({ chargedNanoUsd, uncollectedNanoUsd }: RequestRecord): string {
  const charged = `${formatUsd(chargedNanoUsd)} USD`;
  if (uncollectedNanoUsd === 0n) return charged;
  return `${charged}, and ${formatUsd(uncollectedNanoUsd)} USD uncollected`;
}

/** Returns a request as the CLI prints it with --json. */
export function requestJson(request: RequestRecord) {
  return {
    id: request.id,
    request_id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    route_type: request.routeType,
    alias: request.alias,
    provider: request.provider,
    upstream_model: request.upstreamModel,
    is_streamed: request.isStreamed,
    is_partial: request.isPartial,
    error_code: request.errorCode,
    occurred_at: isoTime(request.occurredAt),
    duration_ms: request.durationMs,
    first_token_ms: request.firstTokenMs ?? null,
    attempts: request.attempts.map((attempt) => ({
      provider: attempt.provider,
      upstream_model: attempt.upstreamModel,
      key: attempt.key,
      started_ms: attempt.startedMs,
      duration_ms: attempt.durationMs,
      error_code: attempt.errorCode,
      status: attempt.status,
      reason: attempt.reason,
      provider_message: attempt.providerMessage,
      provider_request_id: attempt.providerRequestId,
      provider_response_id: attempt.providerResponseId,
    })),
    passed_over: request.passedOver.map(({ provider, upstreamModel, key, reason }) => ({
      provider,
      upstream_model: upstreamModel,
      key,
      reason,
    })),
    endpoint: request.endpoint,
    user_agent: request.userAgent,
    client_request_id: request.clientRequestId,
    response_id: request.responseId,
    creation_request_id: request.creationRequestId || null,
    creation_client_request_id: request.creationClientRequestId || null,
    client_status: request.clientStatus,
    client_code: request.clientCode,
    client_message: request.clientMessage,
    unit_type: request.unitType,
    quantity: Number(request.quantity),
    held_nano_usd: String(request.heldNanoUsd),
    cost_nano_usd: String(request.costNanoUsd),
    charged_nano_usd: String(request.chargedNanoUsd),
    uncollected_nano_usd: String(request.uncollectedNanoUsd),
    provider_cost_nano_usd:
      request.providerCostNanoUsd === undefined ? null : String(request.providerCostNanoUsd),
    plan: request.plan || null,
    end_user: request.endUser || null,
    entry_id: request.entryId,
    trace_id: request.traceId,
    conversation_id: request.conversationId,
  };
}
