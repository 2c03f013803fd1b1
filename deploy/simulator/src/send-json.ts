import { cutConnection, type SimulatorCall } from "./call.ts";
import type { RecordedCall } from "./call-log.ts";
import type { Commands } from "./commands.ts";
import { trickle } from "./trickle.ts";

/** Sends JSON text, or breaks the response as the commands specify. */
export async function sendJson(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  text: string,
  status = 200,
): Promise<void> {
  const body = commands.garbage ? `garbage ${text}` : text;
  call.response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  if (commands.cut_after !== undefined) {
    recorded.outcome = "cut";
    call.response.write(body.slice(0, body.length / 2));
    cutConnection(call);
    return;
  }
  if (commands.trickle_ms) await trickle(call, Buffer.from(body), commands.trickle_ms);
  call.disconnected.throwIfAborted();
  recorded.outcome = commands.garbage ? "garbage" : "completed";
  call.response.end(commands.trickle_ms ? undefined : body);
}

/**
 * Indented, so that a test can tell whether the gateway passed the bytes through or serialized the
 * value again.
 */
export function prettyJson(value: object): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
