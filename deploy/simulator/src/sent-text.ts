import type { RecordedCall } from "./call-log.ts";
import { tokensOfCharacters } from "./chat/tokens.ts";

/** Counts generated text that a stream of one choice has sent. */
export function countSentText(recorded: RecordedCall, text: string): void {
  recorded.charactersSent += text.length;
  recorded.completionTokens = tokensOfCharacters(recorded.charactersSent);
}
