import type { LanguageModelV4Message } from "@ai-sdk/provider";

/** Says nothing, in a turn that Mistral requires. */
const answer: LanguageModelV4Message = {
  role: "assistant",
  content: [{ type: "text", text: "Understood." }],
};

/**
 * Returns the messages with a turn of the assistant between results of tools and a message of the user.
 * Mistral refuses a user after a tool, with 400 and the code 3230.
 */
export function withAnswers(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return prompt.flatMap((message, index) => {
    const isAnswered = message.role !== "user" || prompt[index - 1]?.role !== "tool";
    return isAnswered ? [message] : [answer, message];
  });
}
