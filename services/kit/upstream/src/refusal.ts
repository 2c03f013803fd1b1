import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { FailureMeaning, ProviderRefusal } from "@tollgate/catalog/provider-refusal";
import { meaningOfStatus, SlotFailure } from "./failure.ts";
import type { ProviderResponseHead } from "./provider-call.ts";
import { hideKeys, redact } from "./redaction.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/** The limits of what is read of a refusal's body, and of the message that a client is sent. */
const maxRefusalBytes = 64 * 1024;
const maxHintCharacters = 300;
/** The most of a provider's message that a record has. */
const maxMessageCharacters = 1_024;

/** What a kind reads in refusals. */
export type RefusalReader = Pick<ProviderKind, "readRefusal" | "refusalMessage" | "reportedStatus">;

/**
 * Reads a refusal into a SlotFailure. It has the provider's message where that is about the request (400,
 * 413, 422) for the client, and where it is about the gateway's key or bill for operators. Nothing in it
 * has the provider's credentials.
 */
export async function readRefusal(
  { status, contentType, headers }: Omit<ProviderResponseHead, "contentEncoding">,
  body: AsyncIterable<Buffer>,
  kind: RefusalReader,
  credentials: () => readonly string[],
): Promise<SlotFailure> {
  const bytes = await readStart(body);
  // One character a byte, so that a body which is not UTF-8 stays as it is.
  const clean = Buffer.from(redact(bytes.toString("latin1"), credentials()), "latin1");
  const text = clean.toString("utf8");
  const refusal = { status, headers, body: parse(text) };
  const details = detailsOf(refusal, kind);
  return new SlotFailure("rejected", `the provider responded with ${status}`, {
    status,
    ...details,
    providerMessage: details.providerMessage ?? text.slice(0, maxMessageCharacters).trim(),
    refusal: { contentType, body: clean },
  });
}

/**
 * Returns the failure for an error within a response: in the body of a success, or in an event of a
 * stream. `status` is the one that the error has, if it has any.
 */
export function reportedFailure(
  body: unknown,
  status: number | undefined,
  kind: RefusalReader,
  cause?: unknown,
): SlotFailure {
  const details = detailsOf({ status, headers: {}, body }, kind);
  return new SlotFailure("rejected", "the provider's response reports an error", {
    ...(status === undefined ? {} : { status }),
    ...details,
    cause,
  });
}

/** Returns the message of a refusal within a response that is about the request. */
export function refusalHint(
  status: unknown,
  body: unknown,
  kind: RefusalReader,
): string | undefined {
  if (typeof status !== "number") return undefined;
  return detailsOf({ status, headers: {}, body }, kind).hint;
}

interface RefusalDetails {
  meaning: FailureMeaning;
  retryAfterMs: number | undefined;
  hint: string | undefined;
  said: string | undefined;
  providerMessage: string | undefined;
  isTooLong: boolean;
  isFiltered: boolean;
}

function detailsOf(refusal: ProviderRefusal, kind: RefusalReader): RefusalDetails {
  const message = kind.refusalMessage(refusal.body);
  const read = kind.readRefusal(refusal);
  const isTooLong = read.isTooLong === true && canBeTooLong(refusal, read.meaning);
  const meaning = isTooLong ? "too_large" : (read.meaning ?? meaningOfStatus(refusal.status));
  const shown = message?.slice(0, maxHintCharacters);
  const isHint = isOfRequest(refusal) && (meaning === "bad_request" || meaning === "too_large");
  return {
    meaning,
    retryAfterMs: read.retryAfterMs ?? retryAfterMsOf(refusal, Date.now()),
    hint: isHint || isTooLong ? shown : undefined,
    said: meaning === "key_or_bill" && shown !== undefined ? hideKeys(shown) : undefined,
    providerMessage: message?.slice(0, maxMessageCharacters),
    isTooLong,
    isFiltered: read.isFiltered === true && isOfRequest(refusal) && meaning === "bad_request",
  };
}

/**
 * Whether a refusal can be about the length of the prompt. Some vendors say so by a 5xx, or within a
 * stream without a status. What limits the rate or is about the bill has such words, too.
 */
function canBeTooLong({ status }: ProviderRefusal, meaning: FailureMeaning | undefined): boolean {
  if (meaning === "rate" || meaning === "key_or_bill") return false;
  return status === undefined || ![401, 402, 403, 404, 429].includes(status);
}

/** Whether a refusal has a status by which providers say what is wrong with a request. */
function isOfRequest({ status }: ProviderRefusal): boolean {
  return status === 400 || status === 413 || status === 422;
}

async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxRefusalBytes) break;
    }
  } catch {
    // The status is enough; its explanation may be cut off.
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes);
}

/** Gemini's API for OpenAI's clients has its error in a list. */
function parse(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) && body.length === 1 ? body[0] : body;
  } catch {
    return undefined;
  }
}
