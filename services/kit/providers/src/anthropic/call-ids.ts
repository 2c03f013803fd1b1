import { hashOfId } from "../ai-sdk/call-ids.ts";

/** The ids of calls that Anthropic accepts. Any other is refused with 400. */
const anthropicId = /^[a-zA-Z0-9_-]+$/;

/** Returns the id of a call as Anthropic accepts it: that of another provider's call becomes a hash. */
export function anthropicCallId(id: string): string {
  return anthropicId.test(id) ? id : `toolu_${hashOfId(id, 24)}`;
}
