import { pause, type SimulatorCall } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import { tokensOfCharacters } from "../chat/tokens.ts";
import type { Commands } from "../commands.ts";
import { googleErrorBody } from "../error-response.ts";
import { countSentText } from "../sent-text.ts";
import { type EventWriter, openEvents } from "../sse.ts";
import { stallIfCommanded } from "../stall.ts";
import type { GeneratedContent } from "./generated.ts";
import { responseOf } from "./response.ts";

/** Sends content as a stream, or breaks the stream as the commands specify. */
export async function sendContentStream(
  call: SimulatorCall,
  recorded: RecordedCall,
  commands: Commands,
  content: GeneratedContent,
  modelVersion: string,
): Promise<void> {
  const events = openEvents(call, commands);
  const { chunks, usageMetadata } = content;
  // Before the last chunk, nothing is known of the output, but for the command `usage_each`.
  const { promptTokenCount, promptTokensDetails } = usageMetadata;
  const known = { promptTokenCount, totalTokenCount: promptTokenCount, promptTokensDetails };
  for (const [index, parts] of chunks.entries()) {
    if (commands.gap_ms) await pause(call, commands.gap_ms);
    if (await stallIfCommanded(call, recorded, commands)) return;
    if (await breakStream(events, recorded, commands)) return;
    const isLast = index === chunks.length - 1;
    const text = parts.map((part) => part.text ?? "").join("");
    const tokens = tokensOfCharacters(recorded.charactersSent + text.length);
    const soFar = commands.usage_each
      ? {
          ...known,
          candidatesTokenCount: tokens,
          totalTokenCount: Number(promptTokenCount) + tokens,
        }
      : known;
    const said = isLast ? content : { ...content, usageMetadata: soFar };
    await events.data(JSON.stringify(responseOf(said, modelVersion, parts, isLast)));
    recorded.chunksSent += 1;
    countSentText(recorded, text);
    call.disconnected.throwIfAborted();
  }
  recorded.completionTokens = content.completionTokens;
  recorded.outcome = "completed";
  events.end();
}

/** Ends the stream here if a command says so. Resolves with whether it has. */
async function breakStream(
  events: EventWriter,
  recorded: RecordedCall,
  commands: Commands,
): Promise<boolean> {
  if (commands.cut_after === recorded.chunksSent) {
    recorded.outcome = "cut";
    events.cut();
    return true;
  }
  const isError = commands.error_event === recorded.chunksSent;
  if (!isError && commands.end_after !== recorded.chunksSent) return false;
  recorded.outcome = isError ? "error_event" : "ended_early";
  if (isError) {
    const message = commands.message ?? "The model is overloaded. Please try again later.";
    await events.data(JSON.stringify(googleErrorBody({ status: 503, message })));
  }
  events.end();
  return true;
}
