/** The members of a chat request that the API defines, including those that it refuses. */
export const chatMembers = [
  "model",
  "messages",
  "stream",
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "seed",
  "n",
  "logit_bias",
  "user",
  "parallel_tool_calls",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
  "stream_options",
  "metadata",
  "logprobs",
  "top_logprobs",
  "session_id",
  "store",
  "service_tier",
] as const;

export type ChatMember = (typeof chatMembers)[number];

/** Returns whether the API defines a member of a chat request. */
export function isChatMember(name: string): name is ChatMember {
  return chatMembers.some((member) => member === name);
}
