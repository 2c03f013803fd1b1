import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { envelope, GatewayError } from "@tollgate/core/errors";
import { brokenStream } from "@tollgate/generation/broken-stream";
import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import { limitFinalStall, limitStall, maxStallMs } from "@tollgate/http/stall";

/**
 * Sends transcript events as server-sent events. `opened` sends the head of the response. Throws an
 * error that occurs before the head is sent; a later error is sent as the last event. Waits for a
 * client that reads slowly, and closes the connection of one that reads nothing for `stallMs`.
 */
export async function sendTranscriptEvents(
  res: ServerResponse,
  events: AsyncIterable<TranscriptEvent | "opened">,
  signal: AbortSignal,
  stallMs = maxStallMs,
): Promise<void> {
  try {
    for await (const event of events) {
      if (event === "opened") {
        writeHead(res);
        // Needs no room. A wait would end the events of a client that has left before there is one.
        res.write(": ping\n\n");
      } else if (!res.write(`data: ${JSON.stringify(event)}\n\n`)) {
        await untilDrained(res, signal, stallMs);
      }
    }
  } catch (error) {
    if (!res.headersSent || signal.aborted) throw error;
    const failure = error instanceof GatewayError ? error : brokenStream();
    res.end(`data: ${JSON.stringify(envelope(failure))}\n\n`);
    return;
  }
  res.end("data: [DONE]\n\n");
  limitFinalStall(res, stallMs);
}

async function untilDrained(
  res: ServerResponse,
  signal: AbortSignal,
  stallMs: number,
): Promise<void> {
  limitStall(res, stallMs);
  await once(res, "drain", { signal });
  limitStall(res, 0);
}

function writeHead(res: ServerResponse): void {
  res.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
}
