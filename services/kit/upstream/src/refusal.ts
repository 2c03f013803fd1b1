import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { SlotFailure } from "./failure.ts";
import type { ProviderResponseHead } from "./provider-call.ts";
import { redact } from "./redaction.ts";

/** The limits of what is read of a refusal's body, and of the message that a client is sent. */
const maxRefusalBytes = 64 * 1024;
const maxHintCharacters = 300;

/**
 * Reads a refusal into a SlotFailure, with the provider's message where it is about the request (400,
 * 413, 422). Other refusals are about the gateway's account with the provider, and are not shown to
 * clients. Nothing in it has the provider's credentials.
 */
export async function readRefusal(
  { status, contentType }: ProviderResponseHead,
  body: AsyncIterable<Buffer>,
  kind: ProviderKind,
  secrets: readonly string[],
): Promise<SlotFailure> {
  const bytes = await readStart(body);
  // One character a byte, so that a body which is not UTF-8 stays as it is.
  const clean = Buffer.from(redact(bytes.toString("latin1"), secrets), "latin1");
  const said = messageAbout(status, parse(clean.toString("utf8")), kind);
  const refusal = { contentType, body: clean };
  return new SlotFailure("rejected", `the provider responded with ${status}`, {
    status,
    hint: said?.slice(0, maxHintCharacters),
    isTooLong: said !== undefined && kind.isTooLong(said),
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
export function refusalHint(
  status: unknown,
  body: unknown,
  kind: ProviderKind,
): string | undefined {
  return messageAbout(status, body, kind)?.slice(0, maxHintCharacters);
}

/** Returns the message of a refusal that is about the request. */
function messageAbout(status: unknown, body: unknown, kind: ProviderKind): string | undefined {
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  return kind.refusalMessage(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
