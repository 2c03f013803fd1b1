import { readUsageBlock as readMessageUsage } from "../anthropic/usage.ts";
import type { ChatUsage } from "../chat-usage.ts";
import { readUsageBlock as readContentUsage } from "../google/usage.ts";

/** Reads a usage block of Gemini, or of a message of Claude: no name of a count is in both. */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  return readContentUsage(block) ?? readMessageUsage(block);
}
