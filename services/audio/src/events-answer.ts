import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { envelope, GatewayError } from "@tollgate/kit/errors";
import type { TranscriptEvent } from "@tollgate/kit/live-audio";
import { cutStream } from "@tollgate/kit/streamed-answer";

/**
 * Writes transcript events as server-sent events. The head goes out with `opened`: what is raised
 * before it is an ordinary error answer, what is raised after it is told in one last event.
 */
export async function answerEvents(
  res: ServerResponse,
  events: AsyncIterable<TranscriptEvent | "opened">,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of events) {
      if (event === "opened") writeHead(res);
      const text = event === "opened" ? ": ping\n\n" : `data: ${JSON.stringify(event)}\n\n`;
      if (!res.write(text)) await once(res, "drain", { signal });
    }
  } catch (error) {
    if (!res.headersSent || signal.aborted) throw error;
    const failure = error instanceof GatewayError ? error : cutStream();
    res.end(`data: ${JSON.stringify(envelope(failure))}\n\n`);
    return;
  }
  res.end("data: [DONE]\n\n");
}

function writeHead(res: ServerResponse): void {
  res.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
}
