import type { FailureMeaning } from "@tollgate/catalog/provider-refusal";
import { type ClassifiedError, GatewayError } from "@tollgate/core/errors";
import { maxRetryAfterMs } from "./retry-after.ts";

/** The first bytes of a provider's refusal. */
export interface Refusal {
  contentType: string;
  body: Buffer;
}

export interface SlotFailureDetails {
  status?: number;
  /** What follows from the kind and the status where it is not set. */
  meaning?: FailureMeaning;
  retryAfterMs?: number | undefined;
  hint?: string | undefined;
  said?: string | undefined;
  providerMessage?: string | undefined;
  isTooLong?: boolean;
  isFiltered?: boolean;
  refusal?: Refusal;
  cause?: unknown;
}

/**
 * How a slot failed. `unreachable`: it sent no response. `rejected`: its response is an error or not
 * valid. `unusable`: the slot works, but its response cannot be used for this request. `oversized`: the
 * response is too large, and would be at every other slot.
 */
export type FailureKind = "unreachable" | "rejected" | "unusable" | "oversized";

/** How an attempt failed, for metrics and records: its meaning, or that the provider has no such model. */
export type FailedOutcome = FailureMeaning | "not_found";

/** The failure of one slot to serve one call. */
export class SlotFailure extends Error implements ClassifiedError {
  override readonly name = "SlotFailure";
  readonly kind: FailureKind;
  /** Decides whether the next slot is attempted, and what the failure counts for. */
  readonly meaning: FailureMeaning;
  /** The provider's HTTP status, if it responded. */
  readonly status: number | undefined;
  /** How long the provider asks not to be called, if it says so. */
  readonly retryAfterMs: number | undefined;
  #hint: string | undefined;
  #said: string | undefined;
  /** The provider's message, whatever it is about. It may have the provider's credentials. */
  readonly providerMessage: string | undefined;
  /** Whether the provider refused a prompt that is too long for the model. */
  readonly isTooLong: boolean;
  /** Whether the provider's filter of contents has stopped the request. */
  readonly isFiltered: boolean;
  /** The start of the provider's response, without the provider's credentials. */
  readonly refusal: Refusal | undefined;

  constructor(kind: FailureKind, message: string, details: SlotFailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.meaning = details.meaning ?? usualMeaning(kind, details.status);
    this.retryAfterMs = details.retryAfterMs;
    this.#hint = details.hint;
    this.#said = details.said;
    this.providerMessage = details.providerMessage;
    this.isTooLong = details.isTooLong ?? false;
    this.isFiltered = details.isFiltered ?? false;
    this.refusal = details.refusal;
  }

  /** The provider's message, where it helps the client to correct the request. */
  get hint(): string | undefined {
    return this.#hint;
  }

  /** The provider's message about the gateway's key or bill, which is for operators only. */
  get said(): string | undefined {
    return this.#said;
  }

  /** Changes both messages by `redact`, which hides the provider's credentials. */
  redactMessages(redact: (text: string) => string): void {
    if (this.#hint !== undefined) this.#hint = redact(this.#hint);
    if (this.#said !== undefined) this.#said = redact(this.#said);
  }

  get errorType(): string {
    return String(this.status ?? this.kind);
  }

  get outcome(): FailedOutcome {
    return this.meaning === "bad_request" && this.status === 404 ? "not_found" : this.meaning;
  }

  /** Whether the next slot is attempted. An invalid request fails at every slot. */
  get passesOn(): boolean {
    if (this.kind === "oversized") return false;
    return this.meaning !== "bad_request" || !isOfInvalidRequest(this.status);
  }

  /** Whether the provider responded with a refusal that the same request would receive again. */
  get isPermanent(): boolean {
    const { status, meaning } = this;
    if (status === undefined) return false;
    return meaning === "too_large" || (status >= 400 && status < 500 && !isTemporary(status));
  }

  /** Whether the provider takes no more requests at the moment: it limits them, or is overloaded. */
  get isLimited(): boolean {
    if (this.meaning === "rate") return true;
    return this.meaning === "trouble" && (this.status === 503 || this.status === 529);
  }
}

/** Returns what a failure means by its kind and its status alone. */
function usualMeaning(kind: FailureKind, status: number | undefined): FailureMeaning {
  if (kind === "oversized" || kind === "unusable") return "bad_request";
  return meaningOfStatus(status);
}

/** Returns what the status of a refusal means; undefined is a response that is not valid, or silence. */
export function meaningOfStatus(status: number | undefined): FailureMeaning {
  if (status === 401 || status === 402) return "key_or_bill";
  if (status === 429) return "rate";
  if (status === 408 || status === 424) return "trouble";
  return status !== undefined && status >= 400 && status < 500 ? "bad_request" : "trouble";
}

function isOfInvalidRequest(status: number | undefined): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** The statuses of temporary failures: 408, 409, 424 (Bedrock's for a failed model), 425, 429, 5xx. */
function isTemporary(status: number): boolean {
  return [408, 409, 424, 425, 429].includes(status) || status >= 500;
}

/**
 * Returns the error of a chain of which no slot served. It is 503 where each slot could not be reached,
 * limits requests or is overloaded, with the shortest time after which one may serve; `coolsForMs` is
 * that of the slots that were not called. Else it is 502, which is permanent where the last response is.
 */
export function chainFailure(
  failures: readonly SlotFailure[],
  coolsForMs = Number.POSITIVE_INFINITY,
): GatewayError {
  const rejected = failures.findLast(({ kind, isLimited }) => kind !== "unreachable" && !isLimited);
  if (rejected !== undefined) {
    const { isPermanent } = rejected;
    return new GatewayError("upstream_rejected", messageOf(rejected), {
      isPermanent,
      cause: rejected,
    });
  }
  const limited = failures.filter(({ isLimited }) => isLimited);
  const waits = limited.map(({ retryAfterMs = Number.POSITIVE_INFINITY }) => retryAfterMs);
  const retryAfterSeconds = secondsOf(Math.min(coolsForMs, ...waits));
  const isBusy = limited.length > 0 || retryAfterSeconds !== undefined;
  const message = isBusy
    ? "The providers of this model take no more requests at the moment."
    : "No provider of this model can be reached at the moment.";
  return new GatewayError("no_provider_available", message, {
    retryAfterSeconds,
    cause: failures.at(-1),
  });
}

function secondsOf(ms: number): number | undefined {
  if (ms === Number.POSITIVE_INFINITY) return undefined;
  return Math.max(1, Math.ceil(Math.min(ms, maxRetryAfterMs) / 1_000));
}

function messageOf({ kind, hint }: SlotFailure): string {
  if (kind === "oversized") return "The provider's response is larger than the gateway forwards.";
  return `The provider rejected the request.${hint === undefined ? "" : ` It said: ${hint}`}`;
}
