import { SlotFailure } from "./failure.ts";

/** How much of a refusal's body is read, and how much of it a client is shown. */
const maxRefusalBytes = 64 * 1024;
const maxHintCharacters = 300;

/**
 * A refusal, with the provider's own words where they speak of the request (400, 413, 422). Other
 * refusals speak of our account with the provider, which is no client's business.
 */
export async function readRefusal(
  status: number,
  contentType: string,
  body: AsyncIterable<Buffer>,
  apiKey: string | undefined,
): Promise<SlotFailure> {
  const bytes = await readStart(body);
  const speaksOfRequest = status === 400 || status === 413 || status === 422;
  const hint = speaksOfRequest ? hintFrom(bytes.toString("utf8"), apiKey) : undefined;
  const refusal = { contentType, body: bytes };
  return new SlotFailure("rejected", `the provider answered ${status}`, { status, hint, refusal });
}

async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      size += part.length;
      if (size > maxRefusalBytes) break;
    }
  } catch {
    // The status is what counts; its explanation may be cut.
  }
  return Buffer.concat(parts).subarray(0, maxRefusalBytes);
}

function hintFrom(text: string, apiKey: string | undefined): string | undefined {
  const message = messageIn(text);
  if (message === undefined) return undefined;
  const clean = apiKey === undefined ? message : message.replaceAll(apiKey, "[key]");
  return clean.slice(0, maxHintCharacters);
}

function messageIn(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown }; message?: unknown };
    const message = body.error?.message ?? body.message;
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}
