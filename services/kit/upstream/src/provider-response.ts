import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { certificateFault } from "./connections/certificate-faults.ts";
import { SlotFailure } from "./failure.ts";
import { CallTimeout, type ProviderBody } from "./provider-call.ts";
import { abortedUnsent } from "./unsent.ts";

/** The largest JSON response. It must fit a message between services, see `grpc-channel.ts`. */
export const maxResponseBytes = 32 * 1024 * 1024;

export interface ProviderResponse {
  /** 200 to 299. */
  status: number;
  contentType: string;
  body: ProviderBody;
}

/**
 * Reads a complete JSON response. Returns its bytes and its value. Throws a SlotFailure when it is
 * cut off, too large or not JSON.
 */
export async function readJson(
  response: ProviderResponse,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; value: unknown }> {
  const bytes = await readBytes(response, signal);
  try {
    return { bytes, value: JSON.parse(bytes.toString("utf8")) };
  } catch (cause) {
    throw notJson(cause);
  }
}

/** Returns the failure of a response that cannot be parsed. */
export function notJson(cause: unknown): SlotFailure {
  return new SlotFailure("rejected", "the provider's response is not JSON", { cause });
}

/** Does the same for a response that must be an object. */
export async function readJsonObject(
  response: ProviderResponse,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; value: JsonObject }> {
  const { bytes, value } = await readJson(response, signal);
  if (isJsonObject(value)) return { bytes, value };
  throw new SlotFailure("rejected", "the provider's response is not a JSON object");
}

/** The codes of the HTTP client's errors for a connection, a head or a body that takes too long. */
const timeouts: ReadonlySet<string> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "FIRST_BYTE_TIMEOUT",
  "TOTAL_TIMEOUT",
]);

/**
 * Returns the error to throw for a failed read or write. A SlotFailure is returned unchanged, also where the
 * call was aborted afterwards: the provider has ended it first. Else it is the signal's reason when the call
 * was aborted, in an UnsentCall before the request was sent, and otherwise a SlotFailure. A connection that fails once the request was sent (`wasSent`) may have been closed because of
 * the request.
 */
export function transportFailure(error: unknown, signal: AbortSignal, wasSent = true): unknown {
  if (error instanceof SlotFailure) return error;
  if (signal.aborted) return wasSent ? signal.reason : abortedUnsent(signal.reason);
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : undefined;
  const what = describeTransport(code);
  const more = code === undefined ? "" : ` (${code})`;
  const meaning = wasSent ? "trouble" : "unreachable";
  return new SlotFailure("unreachable", `${what}${more}`, { meaning, cause: error });
}

function describeTransport(code: string | undefined): string {
  if (code !== undefined && timeouts.has(code)) return "the provider took too long";
  return certificateFault(code ?? "") ?? "the connection to the provider failed";
}

/** Whether a failure is a connection that broke: neither a response of the provider, nor its silence. */
export function isBrokenConnection(failure: unknown): boolean {
  if (!(failure instanceof SlotFailure) || failure.kind !== "unreachable") return false;
  const { cause } = failure;
  return !(cause instanceof Error && "code" in cause && timeouts.has(String(cause.code)));
}

/**
 * Returns whether a call exceeded the total timeout of its provider. The stream is billed as at the deadline of a
 * route, because a client can request a response that takes that long.
 */
export function isTotalTimeout(failure: unknown): boolean {
  if (!(failure instanceof SlotFailure)) return false;
  const { cause } = failure;
  return cause instanceof CallTimeout && cause.code === "TOTAL_TIMEOUT";
}

/** Reads a complete response. Throws a SlotFailure when it is cut off or too large for a JSON response. */
export async function readBytes(
  { body }: ProviderResponse,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxResponseBytes) {
        throw new SlotFailure("oversized", "the provider's response is too large");
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer<ArrayBuffer>) : Buffer.concat(chunks);
}
