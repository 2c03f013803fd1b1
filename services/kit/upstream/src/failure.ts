import { type ClassifiedError, GatewayError } from "@tollgate/core/errors";

/** The first bytes of a provider's refusal. */
export interface Refusal {
  contentType: string;
  body: Buffer;
}

export interface SlotFailureDetails {
  status?: number;
  hint?: string | undefined;
  isTooLong?: boolean;
  refusal?: Refusal;
  cause?: unknown;
}

/**
 * How a slot failed. `unreachable`: it sent no response. `rejected`: its response is an error or not
 * valid. `unusable`: the slot works, but its response cannot be used for this request, which does not
 * count against the slot. `oversized`: the response is too large, and would be at every other slot.
 */
export type FailureKind = "unreachable" | "rejected" | "unusable" | "oversized";

/** The failure of one slot to serve one call. */
export class SlotFailure extends Error implements ClassifiedError {
  override readonly name = "SlotFailure";
  readonly kind: FailureKind;
  /** The provider's HTTP status, if it responded. */
  readonly status: number | undefined;
  /** The provider's message, where it helps the client to correct the request. */
  readonly hint: string | undefined;
  /** Whether the provider refused a prompt that is too long for the model. */
  readonly isTooLong: boolean;
  /** The start of the provider's response, without the provider's credentials. */
  readonly refusal: Refusal | undefined;

  constructor(kind: FailureKind, message: string, details: SlotFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.hint = details.hint;
    this.isTooLong = details.isTooLong ?? false;
    this.refusal = details.refusal;
  }

  get errorType(): string {
    return String(this.status ?? this.kind);
  }

  /** Whether the next slot is attempted. An invalid request fails at every slot. */
  get passesOn(): boolean {
    if (this.kind === "oversized") return false;
    return this.status === undefined || isTemporary(this.status);
  }

  /** Whether the provider responded with a 4xx that the same request would receive again. */
  get isPermanent(): boolean {
    const { status } = this;
    return status !== undefined && status >= 400 && status < 500 && !isTemporary(status);
  }

  /** Whether the failure counts against the slot, and not only against this request. */
  get countsAgainstSlot(): boolean {
    if (this.kind === "unusable") return false;
    return this.passesOn && this.status !== 409 && this.status !== 425;
  }
}

/** The statuses of temporary failures: 408, 409, 424 (Bedrock's for a failed model), 425, 429, 5xx. */
function isTemporary(status: number): boolean {
  return [408, 409, 424, 425, 429].includes(status) || status >= 500;
}

/**
 * Returns the error of a chain of which no slot served: 502 when a provider responded, else 503. It is
 * permanent where the last response is.
 */
export function chainFailure(failures: readonly SlotFailure[]): GatewayError {
  const rejected = failures.findLast((failure) => failure.kind !== "unreachable");
  if (rejected === undefined) {
    return new GatewayError(
      "no_provider_available",
      "No provider of this model can be reached at the moment.",
      {
        cause: failures.at(-1),
      },
    );
  }
  const { isPermanent } = rejected;
  return new GatewayError("upstream_rejected", messageOf(rejected), {
    isPermanent,
    cause: rejected,
  });
}

function messageOf({ kind, hint }: SlotFailure): string {
  if (kind === "oversized") return "The provider's response is larger than the gateway forwards.";
  return `The provider rejected the request.${hint === undefined ? "" : ` It said: ${hint}`}`;
}
