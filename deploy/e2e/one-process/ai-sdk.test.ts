import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  embed,
  embedMany,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
} from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sharedStack } from "../src/shared-stack.ts";

const recipe = z.object({
  name: z.string(),
  minutes: z.int().min(5),
  steps: z.array(z.object({ text: z.string(), optional: z.boolean() })),
});

const { stack, account } = await sharedStack();
const tollgate = createOpenAICompatible({
  name: "tollgate",
  baseURL: `${stack.url}/v1`,
  apiKey: account.key,
  includeUsage: true,
  supportsStructuredOutputs: true,
});

describe("the AI SDK with its openai-compatible provider, unmodified", () => {
  const model = "test-small";
  const maxRetries = 0;

  test("generateText returns text and usage", async () => {
    const { text, usage, finishReason } = await generateText({
      model: tollgate(model),
      system: "Be brief",
      prompt: "Hello",
      maxRetries,
      temperature: 0.5,
    });
    expect([text, finishReason]).toEqual(["You said: Hello", "stop"]);
    expect(usage.outputTokens).toBe(4);
  });

  test("streamText streams text and usage", async () => {
    const { textStream, usage } = streamText({
      model: tollgate(model),
      prompt: "Tell me a long story about a bridge",
      maxRetries,
    });
    const parts: string[] = [];
    for await (const part of textStream) parts.push(part);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("")).toContain("bridge");
    expect((await usage).outputTokens).toBeGreaterThan(0);
  });

  test("Output.object returns an object that matches its zod schema", async () => {
    const { output } = await generateText({
      model: tollgate(model),
      output: Output.object({ schema: recipe }),
      prompt: "A recipe, please",
      maxRetries,
    });
    expect(recipe.parse(output)).toEqual(output);
  });

  test("a streamed object is complete at its end", async () => {
    const { partialOutputStream, output } = streamText({
      model: tollgate(model),
      output: Output.object({ schema: recipe }),
      prompt: "A recipe, please",
      maxRetries,
    });
    const partial: unknown[] = [];
    for await (const part of partialOutputStream) partial.push(part);
    expect(partial.length).toBeGreaterThan(1);
    expect(recipe.parse(await output)).toEqual(partial.at(-1));
  });

  const tools = {
    lookUp: tool({
      description: "Looks a word up",
      inputSchema: z.object({ word: z.string(), languages: z.array(z.string()).min(1) }),
      execute: async ({ word }) => `${word} is defined`,
    }),
  };

  test("a tool loop calls the tool and ends with its result", async () => {
    const { text, steps } = await generateText({
      model: tollgate(model),
      prompt: "What is a ledger?",
      tools,
      stopWhen: isStepCount(5),
      maxRetries,
    });
    expect(steps.length).toBe(2);
    expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: "lookUp" });
    expect(text).toContain("example is defined");
  });

  test("a streamed tool loop does, too", async () => {
    const { text, steps } = streamText({
      model: tollgate(model),
      prompt: "What is a ledger?",
      tools,
      stopWhen: isStepCount(5),
      maxRetries,
    });
    expect(await text).toContain("example is defined");
    expect((await steps).length).toBe(2);
  });

  test("embed and embedMany return vectors", async () => {
    const embedder = tollgate.embeddingModel("test-embed");
    const { embedding } = await embed({ model: embedder, value: "one", maxRetries });
    const { embeddings, usage } = await embedMany({
      model: embedder,
      values: ["one", "two"],
      maxRetries,
    });
    expect(embeddings).toHaveLength(2);
    expect(embeddings[0]).toEqual(embedding);
    expect(usage.tokens).toBe(2);
  });

  test("an error has the gateway's message and status", async () => {
    const wrong = generateText({ model: tollgate("no-such-model"), prompt: "Hello", maxRetries });
    await expect(wrong).rejects.toSatisfy(APICallError.isInstance);
    await expect(wrong).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringContaining("no-such-model"),
    });
  });
});
