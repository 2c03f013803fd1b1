import { isJsonObject } from "@tollgate/core/json";
import { SlotFailure } from "./failure.ts";

/** The limits of what is read of a refusal's body, and of the message that a client is sent. */
const maxRefusalBytes = 64 * 1024;
const maxHintCharacters = 300;

/**
 * Reads a refusal into a SlotFailure, with the provider's message where it is about the request (400,
 * 413, 422). Other refusals are about the gateway's account with the provider, and are not shown to
 * clients.
 */
export async function readRefusal(
  status: number,
  contentType: string,
  body: AsyncIterable<Buffer>,
  apiKey: string | undefined,
): Promise<SlotFailure> {
  const bytes = await readStart(body);
  const hint = isAboutRequest(status) ? hintFrom(bytes.toString("utf8"), apiKey) : undefined;
  const refusal = { contentType, body: bytes };
  return new SlotFailure("rejected", `the provider responded with ${status}`, {
    status,
    hint,
    refusal,
  });
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

/** Returns the same message of a refusal within a response, such as that of a job's request. */
export function refusalHint(status: unknown, body: unknown): string | undefined {
  return isAboutRequest(status) ? messageIn(body)?.slice(0, maxHintCharacters) : undefined;
}

function isAboutRequest(status: unknown): boolean {
  return status === 400 || status === 413 || status === 422;
}

function hintFrom(text: string, apiKey: string | undefined): string | undefined {
  const message = messageIn(parse(text));
  if (message === undefined) return undefined;
  const clean = apiKey === undefined ? message : message.replaceAll(apiKey, "[key]");
  return clean.slice(0, maxHintCharacters);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageIn(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const { error, message, detail, err_msg } = body;
  if (isAboutAccount(error)) return undefined;
  // In the order in which one is likely to be it: most vendors', Cohere's, Jina's and ElevenLabs',
  // Deepgram's, xAI's.
  const inner = isJsonObject(error) ? error.message : undefined;
  const own = isJsonObject(message) ? firstReason(message.detail) : message;
  const found = [inner, own, isJsonObject(detail) ? detail.message : detail, err_msg, error];
  return found.find((one): one is string => typeof one === "string" && one !== "");
}

/** Returns the first reason of a list of them, which Mistral has within its message. */
function firstReason(detail: unknown): unknown {
  const [first] = Array.isArray(detail) ? detail.filter(isJsonObject) : [];
  return first?.msg;
}

/**
 * Whether an error of Google's APIs or xAI's, which have 400 for these too, is about the key, the billing
 * or the location of the gateway: https://ai.google.dev/gemini-api/docs/troubleshooting
 */
function isAboutAccount(error: unknown): boolean {
  if (typeof error === "string") return /^Incorrect API key/.test(error);
  if (!isJsonObject(error)) return false;
  const details = Array.isArray(error.details) ? error.details.filter(isJsonObject) : [];
  return (
    error.status === "FAILED_PRECONDITION" ||
    details.some(({ reason }) => reason === "API_KEY_INVALID")
  );
}
