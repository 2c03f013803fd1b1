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
  const isAboutRequest = status === 400 || status === 413 || status === 422;
  const hint = isAboutRequest ? hintFrom(bytes.toString("utf8"), apiKey) : undefined;
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

function hintFrom(text: string, apiKey: string | undefined): string | undefined {
  const message = messageIn(text);
  if (message === undefined) return undefined;
  const clean = apiKey === undefined ? message : message.replaceAll(apiKey, "[key]");
  return clean.slice(0, maxHintCharacters);
}

function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body)) return undefined;
    const { error, message, detail, err_msg } = body;
    if (isAboutAccount(error)) return undefined;
    // In the order in which one is likely to be it: most vendors', Cohere's, Jina's and ElevenLabs',
    // Deepgram's, xAI's.
    const inner = isJsonObject(error) ? error.message : undefined;
    const own = isJsonObject(message) ? firstReason(message.detail) : message;
    const found = [inner, own, isJsonObject(detail) ? detail.message : detail, err_msg, error];
    return found.find((one): one is string => typeof one === "string" && one !== "");
  } catch {
    return undefined;
  }
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
