import { type ClassifiedError, GatewayError } from "@tollgate/core/errors";

/** The start of a provider's refusal. */
export interface Refusal {
  contentType: string;
  body: Buffer;
}

export interface SlotFailureDetails {
  status?: number;
  hint?: string | undefined;
  refusal?: Refusal;
  cause?: unknown;
}

/**
 * How a slot did not serve. `unreachable`: no answer came at all. `rejected`: an answer came that
 * is of no use. `unusable`: a good answer came, but not one for this request; it says nothing of
 * the slot. `oversized`: the same, and every slot's would be.
 */
export type FailureKind = "unreachable" | "rejected" | "unusable" | "oversized";

/** How one slot failed to serve one call. */
export class SlotFailure extends Error implements ClassifiedError {
  override readonly name = "SlotFailure";
  readonly kind: FailureKind;
  /** The provider's HTTP status, when it answered with one. */
  readonly status: number | undefined;
  /** What the provider said, where its words help the client mend the request. */
  readonly hint: string | undefined;
  /** The answer that was no success, as the provider sent it. */
  readonly refusal: Refusal | undefined;

  constructor(kind: FailureKind, message: string, details: SlotFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.hint = details.hint;
    this.refusal = details.refusal;
  }

  get errorType(): string {
    return String(this.status ?? this.kind);
  }

  /** Whether another slot may do better: a request that is itself at fault fails everywhere. */
  get passesOn(): boolean {
    if (this.kind === "oversized") return false;
    return this.status === undefined || isPassing(this.status);
  }

  /** Whether the failure speaks against the slot, and not only against this one request. */
  get countsAgainstSlot(): boolean {
    if (this.kind === "unusable") return false;
    return this.passesOn && this.status !== 409 && this.status !== 425;
  }
}

/** The statuses that a provider answers for reasons that pass: 408, 409, 425, 429 and 5xx. */
function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/** What the client is told once no slot served: 502 when a provider answered at all, else 503. */
export function chainFailure(failures: readonly SlotFailure[]): GatewayError {
  const rejected = failures.findLast((failure) => failure.kind !== "unreachable");
  if (rejected === undefined) {
    return new GatewayError(
      "no_provider_available",
      "No provider of this model can be reached now.",
      {
        cause: failures.at(-1),
      },
    );
  }
  return new GatewayError("upstream_rejected", told(rejected), { cause: rejected });
}

function told({ kind, hint }: SlotFailure): string {
  if (kind === "oversized") return "The provider's answer is larger than the gateway passes on.";
  return `The provider rejected the request.${hint === undefined ? "" : ` It said: ${hint}`}`;
}
