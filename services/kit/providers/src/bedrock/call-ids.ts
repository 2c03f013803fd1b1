import { hashOfId } from "../ai-sdk/call-ids.ts";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const bedrockId = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the id of a call as Bedrock accepts it: that of another provider's call becomes a hash. */
export function bedrockCallId(id: string): string {
  return bedrockId.test(id) ? id : `tooluse_${hashOfId(id, 24)}`;
}
