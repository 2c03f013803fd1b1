import type OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { readFile } from "./chat-parts.ts";

/**
 * Begins a loop of tools with thinking at the model `test-claude`, and sends its result to `model`. Resolves
 * with the text of that model's response.
 */
export async function continueLoopOfClaude(client: OpenAI, model: string): Promise<string> {
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
  const request = { tools: [readFile], max_tokens: 4_000, reasoning_effort: "low" as const };
  const begun = await client.chat.completions.create({
    ...request,
    model: "test-claude",
    messages,
  });
  const message = begun.choices[0]?.message;
  if (message === undefined) throw new Error("the loop did not begin");
  const [call] = message.tool_calls ?? [];
  messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
  const done = await client.chat.completions.create({ ...request, model, messages });
  return done.choices[0]?.message.content ?? "";
}
