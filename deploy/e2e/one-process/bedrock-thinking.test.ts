import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { readFile } from "../src/chat-parts.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { continueLoopOfClaude } from "../src/tool-loop.ts";

const { client, lastCall, lastSent } = await sharedStack();

describe("the thinking of a chat with a provider of the kind bedrock", () => {
  test.each([
    false,
    true,
  ])("keeps the signatures of thinking in a loop of tools; stream: %s", async (stream) => {
    const body = {
      model: "test-bedrock",
      tools: [readFile],
      reasoning_effort: "medium" as const,
      max_tokens: 4_000,
    };
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const called = stream
      ? await client.chat.completions.stream({ ...body, messages }).finalChatCompletion()
      : await client.chat.completions.create({ ...body, messages });
    const message = called.choices[0]?.message;
    expect(message).toMatchObject({
      // The helper of streams does not join members that it does not know.
      reasoning_content: expect.stringContaining(stream ? "it." : "The user wrote"),
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "The user wrote something. I will respond to it.",
          signature: expect.stringMatching(/^signature-/),
          format: "anthropic-claude-v1",
        },
      ],
    });
    expect(lastSent()).toMatchObject({
      inferenceConfig: { maxTokens: 4_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
    });
    if (message === undefined) return;
    const [call] = message.tool_calls ?? [];
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "text" });
    const done = await client.chat.completions.create({ ...body, messages });
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
    const { reasoning_details } = message as unknown as {
      reasoning_details: [{ text: string; signature: string }];
    };
    const [{ text, signature }] = reasoning_details;
    expect(lastSent()).toMatchObject({
      messages: [
        {},
        { content: [{ reasoningContent: { reasoningText: { text, signature } } }, {}] },
        {},
      ],
    });
  });

  test("thinks on from the thinking of Claude's own API", async () => {
    const text = await continueLoopOfClaude(client, "test-bedrock-after-claude");
    expect(text).toBe("The tool returned: text");
    expect(lastCall().route).toContain("/bedrock/");
  });
});
