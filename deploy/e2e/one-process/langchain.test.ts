import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sharedStack } from "../src/shared-stack.ts";

const joke = z.object({
  setup: z.string(),
  punchline: z.string(),
  rating: z.int().min(1).max(10),
});

const { stack, account } = await sharedStack();
const configuration = { baseURL: `${stack.url}/v1` };
const shared = { apiKey: account.key, configuration, maxRetries: 0 };
const chat = new ChatOpenAI({ model: "test-small", ...shared });
const embeddings = new OpenAIEmbeddings({ model: "test-embed", ...shared });

describe("LangChain's OpenAI package, unmodified", () => {
  test("invoke returns a message with usage", async () => {
    const message = await chat.invoke("Hello");
    expect(message.content).toBe("You said: Hello");
    expect(message).toMatchObject({ usage_metadata: { output_tokens: 4 } });
  });

  test("stream returns chunks, and the usage once", async () => {
    let text = "";
    const usages: unknown[] = [];
    for await (const chunk of await chat.stream("Tell me a long story about a bridge")) {
      text += chunk.content;
      if (chunk.usage_metadata !== undefined) usages.push(chunk.usage_metadata);
    }
    expect(text).toContain("bridge");
    expect(usages).toMatchObject([{ output_tokens: expect.any(Number) }]);
  });

  test.each([
    "jsonSchema",
    "functionCalling",
    "jsonMode",
  ] as const)("withStructuredOutput returns an object, by %s", async (method) => {
    const schema = method === "jsonMode" ? z.object({ reply: z.string() }) : joke;
    const structured = chat.withStructuredOutput(schema, { name: "answer", method });
    const object = await structured.invoke("A joke, please");
    expect(schema.parse(object)).toEqual(object);
  });

  test("bindTools returns a tool call, and its result gets a response", async () => {
    const weather = tool(async ({ city }) => `It snows in ${city}`, {
      name: "get_weather",
      description: "Returns the weather of a city",
      schema: z.object({ city: z.string(), days: z.int().positive() }),
    });
    const bound = chat.bindTools([weather]);
    const question = new HumanMessage("Weather?");
    const asked = await bound.invoke([question]);
    expect(asked.tool_calls).toMatchObject([
      { name: "get_weather", args: { city: "Bern", days: 1 } },
    ]);
    const call = asked.tool_calls?.[0];
    const result = await weather.invoke(call as never);
    expect(result).toBeInstanceOf(ToolMessage);
    const last = await bound.invoke([question, asked, result as ToolMessage]);
    expect(last.content).toContain("It snows in Bern");
  });

  test("OpenAIEmbeddings returns vectors", async () => {
    const [one, two] = await embeddings.embedDocuments(["one", "two"]);
    expect(one?.length).toBe(8);
    expect(await embeddings.embedQuery("one")).toEqual(one);
    expect(two).not.toEqual(one);
  });

  test("an error has the gateway's status, code and message", async () => {
    const wrong = new ChatOpenAI({
      model: "no-such-model",
      apiKey: chat.apiKey as string,
      configuration: chat.clientConfig,
      maxRetries: 0,
    });
    await expect(wrong.invoke("Hello")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});
