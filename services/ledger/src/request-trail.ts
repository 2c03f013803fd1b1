import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Attempt,
  AttemptSchema,
  PassedOverSlot,
  RequestTrail,
} from "@tollgate/proto/tollgate/v1/usage";

/** A trail as the column `request_trail.trail` stores it. The held amount is a decimal string. */
type StoredTrail = [
  attempts: StoredAttempt[],
  durationMs: number,
  firstTokenMs: number | null,
  errorCode: string,
  traceId: string,
  heldNanoUsd: string,
  isStreamed: boolean,
  passedOver: StoredPassedOver[],
  client: StoredClient,
];

type StoredPassedOver = [provider: string, upstreamModel: string, reason: string, key: string];

type StoredClient = [
  status: number,
  message: string,
  endpoint: string,
  userAgent: string,
  requestId: string,
  responseId: string,
  /** Left out where it is false. */
  isPartial?: boolean,
  /** The code of the error that it was sent. Left out where that is the request's own, or none. */
  code?: string,
  /** Of a job. */
  creationRequestId?: string,
  creationClientRequestId?: string,
];

/** The reason and the message are left out where both are empty. */
type StoredAttempt = [
  provider: string,
  upstreamModel: string,
  startedMs: number,
  durationMs: number,
  errorCode: string,
  status: number,
  key: string,
  providerRequestId: string,
  providerResponseId: string,
  reason?: string,
  providerMessage?: string,
];

/** Returns the JSON of a trail for the column `request_trail.trail`. */
export function toTrailJson(trail: RequestTrail): string {
  const { attempts, durationMs, firstTokenMs, errorCode, traceId, heldNanoUsd } = trail;
  const stored: StoredTrail = [
    attempts.map(storedAttempt),
    durationMs,
    firstTokenMs ?? null,
    errorCode,
    traceId,
    String(heldNanoUsd),
    trail.isStreamed,
    trail.passedOver.map(storedPassedOver),
    storedClient(trail),
  ];
  return JSON.stringify(stored);
}

function storedAttempt(one: Attempt): StoredAttempt {
  const { provider, upstreamModel, startedMs, durationMs, errorCode, status } = one;
  const head = [provider, upstreamModel, startedMs, durationMs, errorCode, status] as const;
  const { key, providerRequestId, providerResponseId, reason, providerMessage } = one;
  const ids = [key, providerRequestId, providerResponseId] as const;
  if (reason === "" && providerMessage === "") return [...head, ...ids];
  return [...head, ...ids, reason, providerMessage];
}

function storedPassedOver({ provider, upstreamModel, reason, key }: PassedOverSlot) {
  return [provider, upstreamModel, reason, key] satisfies StoredPassedOver;
}

function storedClient(trail: RequestTrail): StoredClient {
  const { clientStatus, clientMessage, endpoint, userAgent, clientRequestId, responseId } = trail;
  const client = [clientStatus, clientMessage, endpoint, userAgent, clientRequestId] as const;
  const creation = [trail.creationRequestId, trail.creationClientRequestId] as const;
  if (trail.creationRequestId !== "") {
    return [...client, responseId, trail.isPartial, trail.clientCode, ...creation];
  }
  if (trail.clientCode !== trail.errorCode) {
    return [...client, responseId, trail.isPartial, trail.clientCode];
  }
  return trail.isPartial ? [...client, responseId, true] : [...client, responseId];
}

/**
 * Returns the ids by which a request is found besides its own, one a line; null where there are none. The one
 * that the gateway made for its response is not among them: see `requestIdOfResponse`.
 */
export function otherIdsOf(requestId: string, trail: RequestTrail): string | null {
  const { attempts, clientRequestId, responseId } = trail;
  const kept: string[] = [];
  const keep = (id: string) => {
    if (["", requestId, ...kept].includes(id) || requestIdOfResponse(id) === requestId) return;
    kept.push(id);
  };
  keep(clientRequestId);
  keep(responseId);
  keep(trail.creationRequestId);
  keep(trail.creationClientRequestId);
  for (const { providerRequestId, providerResponseId } of attempts) {
    keep(providerRequestId);
    keep(providerResponseId);
  }
  return kept.length === 0 ? null : kept.map((id) => id.replaceAll("\n", " ")).join("\n");
}

/**
 * Returns the id of the request of a response whose id the gateway made of it; undefined for another form. The
 * ids that vLLM gives responses have the same form, and lead to no request this way.
 */
export function requestIdOfResponse(id: string): string | undefined {
  const digits = /^(?:chatcmpl-|msg_|resp_)([\da-f]{32})$/.exec(id)?.[1];
  return digits === undefined ? undefined : `req_${digits}`;
}

/** Returns a stored trail as fields of a request; none where it is not stored any more. */
export function readTrail(stored: unknown): Partial<ReturnType<typeof toFields>> {
  // Only captures write the column.
  return stored === null || stored === undefined ? {} : toFields(stored as StoredTrail);
}

function toFields(stored: StoredTrail) {
  const [attempts, durationMs, firstTokenMs, errorCode, traceId, held, isStreamed] = stored;
  const [, , , , , , , passedOver, client] = stored;
  const [clientStatus, clientMessage, endpoint, userAgent, clientRequestId, responseId] = client;
  const [, , , , , , isPartial = false, clientCode = errorCode] = client;
  const [, , , , , , , , creationRequestId = "", creationClientRequestId = ""] = client;
  return {
    attempts: attempts.map(toAttempt),
    durationMs,
    ...(firstTokenMs === null ? {} : { firstTokenMs }),
    errorCode,
    traceId,
    heldNanoUsd: BigInt(held),
    isStreamed,
    isPartial,
    passedOver: passedOver.map(([provider, upstreamModel, reason, key]) => {
      return { provider, upstreamModel, reason, key };
    }),
    ...{
      clientStatus,
      clientCode,
      clientMessage,
      endpoint,
      userAgent,
      clientRequestId,
      responseId,
      creationRequestId,
      creationClientRequestId,
    },
  };
}

function toAttempt(stored: StoredAttempt): MessageInitShape<typeof AttemptSchema> {
  const [provider, upstreamModel, startedMs, durationMs, errorCode, status] = stored;
  const [, , , , , , key, providerRequestId, providerResponseId] = stored;
  const [, , , , , , , , , reason = "", providerMessage = ""] = stored;
  const ids = { key, providerRequestId, providerResponseId };
  const ended = { durationMs, errorCode, status, reason, providerMessage };
  return { provider, upstreamModel, startedMs, ...ids, ...ended };
}
