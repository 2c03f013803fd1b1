import { type Call, cut } from "./call.ts";
import type { Commands } from "./commands.ts";
import type { JournalEntry } from "./journal.ts";
import { trickle } from "./trickle.ts";

/** Answers 200 with a JSON text, or with the broken one that the commands ask for. */
export async function sendJson(
  call: Call,
  entry: JournalEntry,
  commands: Commands,
  text: string,
): Promise<void> {
  const body = commands.garbage ? `garbage ${text}` : text;
  call.response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  if (commands.cut_after !== undefined) {
    entry.outcome = "cut";
    call.response.write(body.slice(0, body.length / 2));
    cut(call);
    return;
  }
  if (commands.trickle_ms) await trickle(call, Buffer.from(body), commands.trickle_ms);
  call.left.throwIfAborted();
  entry.outcome = commands.garbage ? "garbage" : "completed";
  call.response.end(commands.trickle_ms ? undefined : body);
}
