import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AttemptSchema, RequestTrail } from "@tollgate/proto/tollgate/v1/usage";

/** A trail as the column `request_trail.trail` stores it. The held amount is a decimal string. */
type StoredTrail = [
  attempts: StoredAttempt[],
  durationMs: number,
  firstTokenMs: number | null,
  errorCode: string,
  traceId: string,
  heldNanoUsd: string,
  isStreamed: boolean,
  /** Left out where no slot was passed over. */
  passedOver?: StoredPassedOver[],
];

type StoredPassedOver = [provider: string, upstreamModel: string, reason: string, key?: string];

type StoredAttempt = [
  provider: string,
  upstreamModel: string,
  startedMs: number,
  durationMs: number,
  errorCode: string,
  status: number,
  /** Left out where it is empty. */
  key?: string,
];

/** Returns the JSON of a trail for the column `request_trail.trail`. */
export function toTrailJson(trail: RequestTrail): string {
  const { attempts, durationMs, firstTokenMs, errorCode, traceId, heldNanoUsd } = trail;
  const stored: StoredTrail = [
    attempts.map((one) => [
      one.provider,
      one.upstreamModel,
      one.startedMs,
      one.durationMs,
      one.errorCode,
      one.status,
      ...keyOf(one),
    ]),
    durationMs,
    firstTokenMs ?? null,
    errorCode,
    traceId,
    String(heldNanoUsd),
    trail.isStreamed,
  ];
  if (trail.passedOver.length > 0) {
    stored.push(
      trail.passedOver.map((one) => [one.provider, one.upstreamModel, one.reason, ...keyOf(one)]),
    );
  }
  return JSON.stringify(stored);
}

function keyOf({ key }: { key: string }): [] | [string] {
  return key === "" ? [] : [key];
}

/** Returns a stored trail as fields of a request; none where it is not stored any more. */
export function readTrail(stored: unknown): Partial<ReturnType<typeof toFields>> {
  // Only captures write the column.
  return stored === null || stored === undefined ? {} : toFields(stored as StoredTrail);
}

function toFields(stored: StoredTrail) {
  const [attempts, durationMs, firstTokenMs, errorCode, traceId, held, isStreamed] = stored;
  const [, , , , , , , passedOver = []] = stored;
  return {
    attempts: attempts.map(toAttempt),
    durationMs,
    ...(firstTokenMs === null ? {} : { firstTokenMs }),
    errorCode,
    traceId,
    heldNanoUsd: BigInt(held),
    isStreamed,
    passedOver: passedOver.map(([provider, upstreamModel, reason, key = ""]) => {
      return { provider, upstreamModel, reason, key };
    }),
  };
}

function toAttempt(stored: StoredAttempt): MessageInitShape<typeof AttemptSchema> {
  const [provider, upstreamModel, startedMs, durationMs, errorCode, status, key = ""] = stored;
  return { provider, upstreamModel, startedMs, durationMs, errorCode, status, key };
}
