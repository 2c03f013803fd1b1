import { once } from "node:events";
import { envelope, GatewayError, PeerError } from "@tollgate/kit/errors";
import type { Exchange } from "./exchange.ts";

const prefix = Buffer.from("data: ");
const suffix = Buffer.from("\n\n");
const terminator = "data: [DONE]\n\n";

/**
 * Writes JSON payloads as server-sent events, each as it comes, and `[DONE]` after the last. The
 * headers go out with the first: what fails before it is an ordinary error answer. What fails after
 * is told in one last event, without `[DONE]`. A client that reads slowly slows the source.
 */
export async function writeEventStream(
  { res, signal }: Exchange,
  batches: AsyncIterable<readonly Uint8Array[]>,
): Promise<void> {
  try {
    for await (const payloads of batches) {
      if (signal.aborted) return;
      if (!res.headersSent) writeHead(res);
      const more = res.write(Buffer.concat(payloads.flatMap((one) => [prefix, one, suffix])));
      if (!more) await once(res, "drain", { signal });
    }
    res.end(terminator);
  } catch (error) {
    if (signal.aborted) return;
    if (!res.headersSent) throw error;
    res.end(`data: ${JSON.stringify(envelope(lastWord(error)))}\n\n`);
  }
}

function writeHead(res: Exchange["res"]): void {
  res.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
}

function lastWord(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const message =
    error instanceof PeerError && error.reason === "deadline"
      ? "The stream took longer than the gateway allows."
      : "The stream broke inside the gateway.";
  return new GatewayError("upstream_rejected", message, { cause: error });
}
