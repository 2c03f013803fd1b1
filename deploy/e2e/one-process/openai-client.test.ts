import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, client } = await sharedStack();

describe("the openai package, unmodified", () => {
  function clientWith(apiKey: string): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${stack.url}/v1`, maxRetries: 0 });
  }

  test("returns a completion, and the wallet pays exactly the reported cost", async () => {
    const before = await readWalletRow(stack, account);
    const { data, response } = await client.chat.completions
      .create({ model: "test-small", messages: [{ role: "user", content: "Hello" }] })
      .withResponse();
    expect(data.model).toBe("test-small");
    expect(data.object).toBe("chat.completion");
    expect(data.choices[0]?.message.content).toContain("Hello");
    const { cost } = data.usage as unknown as { cost: number };
    expect(cost).toBeGreaterThan(0);
    await eventually(async () => {
      const after = await readWalletRow(stack, account);
      expect(before.balance - after.balance).toBe(nanoUsd(cost));
    });
    const { entries } = await readWalletRow(stack, account);
    expect(entries[0]?.requestId).toBe(response.headers.get("x-request-id"));
  });

  test("streams with the usage chunk last, requested or not", async () => {
    for (const stream_options of [undefined, { include_usage: true }, { include_usage: false }]) {
      const stream = await client.chat.completions.create({
        model: "test-small",
        messages: [{ role: "user", content: "Tell me a long story about a bridge" }],
        stream: true,
        ...(stream_options === undefined ? {} : { stream_options }),
      });
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      const last = chunks.at(-1);
      expect(last?.choices).toEqual([]);
      expect(last?.usage).toMatchObject({ cost: expect.any(Number) });
      expect(chunks.slice(0, -1).every((chunk) => !("usage" in chunk))).toBe(true);
      expect(chunks.every((chunk) => chunk.model === "test-small")).toBe(true);
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
      expect(text).toContain("bridge");
    }
  });

  test("calls tools and sends their results back", async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: "function",
        function: {
          name: "get_weather",
          parameters: { type: "object", properties: { city: { type: "string" } } },
        },
      },
    ];
    const question: OpenAI.ChatCompletionMessageParam = {
      role: "user",
      content: "Weather in Bern?",
    };
    const first = await client.chat.completions.create({
      model: "test-small",
      messages: [question],
      tools,
    });
    const said = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    const call = said?.tool_calls?.[0];
    expect(call?.type === "function" && call.function.name).toBe("get_weather");
    const second = await client.chat.completions.create({
      model: "test-small",
      messages: [
        question,
        said as OpenAI.ChatCompletionMessageParam,
        { role: "tool", tool_call_id: call?.id ?? "", content: "It snows" },
      ],
      tools,
    });
    expect(second.choices[0]?.message.content).toContain("It snows");
  });

  test.each([
    ["in JSON", false],
    ["in a stream", true],
  ])("calls a custom tool %s and sends its result back", async (_, isStream) => {
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: "function", function: { name: "get_weather" } },
      { type: "custom", custom: { name: "shell", format: { type: "text" } } },
    ];
    const question: OpenAI.ChatCompletionMessageParam = { role: "user", content: "List files" };
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: "test-small",
      messages: [question],
      tools,
      tool_choice: { type: "custom", custom: { name: "shell" } },
    };
    const call = isStream ? await streamedCall(body) : await completeCall(body);
    expect(call).toEqual({
      id: expect.any(String),
      type: "custom",
      custom: { name: "shell", input: expect.stringContaining("free text") },
    });
    const second = await client.chat.completions.create({
      model: "test-small",
      messages: [
        question,
        { role: "assistant", tool_calls: [call as OpenAI.ChatCompletionMessageToolCall] },
        { role: "tool", tool_call_id: call.id, content: "a.txt" },
      ],
      tools,
    });
    expect(second.choices[0]?.message.content).toContain("a.txt");
  });

  async function completeCall(body: OpenAI.ChatCompletionCreateParamsNonStreaming) {
    const { choices } = await client.chat.completions.create(body);
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    return choices[0]?.message.tool_calls?.[0] as { id: string };
  }

  /** The helper of the client joins function calls only. */
  async function streamedCall(body: OpenAI.ChatCompletionCreateParamsNonStreaming) {
    const chunks = await client.chat.completions.create({ ...body, stream: true });
    const call = { id: "", type: "", custom: { name: "", input: "" } };
    for await (const { choices } of chunks) {
      for (const part of (choices[0]?.delta.tool_calls ?? []) as Partial<typeof call>[]) {
        call.id += part.id ?? "";
        call.type += part.type ?? "";
        call.custom.name += part.custom?.name ?? "";
        call.custom.input += part.custom?.input ?? "";
      }
    }
    return call;
  }

  test("streams tool calls", async () => {
    const runner = client.chat.completions.stream({
      model: "test-small",
      messages: [{ role: "user", content: "Weather?" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: {} } }],
    });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("sends an image to an alias with vision, and is refused by one without", async () => {
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content }];
    const seen = await client.chat.completions.create({ model: "test-vision", messages });
    expect(seen.choices[0]?.message.content).toBeTruthy();
    const refused = client.chat.completions.create({ model: "test-small", messages });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: "invalid_param",
      param: "messages[0].content[1]",
    });
  });

  test("lists models and reads one", async () => {
    const models = await client.models.list();
    const ids = models.data.map((model) => model.id);
    expect(ids).toContain("test-small");
    expect(ids).not.toContain("test-unlisted");
    expect(ids).not.toContain("test-internal");
    const model = await client.models.retrieve("test-small");
    expect(model).toMatchObject({
      id: "test-small",
      object: "model",
      route_type: "chat",
      context_tokens: 32_768,
      context_length: 32_768,
      pricing: {
        currency: "USD",
        unit_type: "tokens",
        per: 1_000_000,
        input: 0.15,
        output: 0.6,
        prompt: "0.00000015",
        completion: "0.0000006",
      },
    });
  });

  test("throws its typed errors", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hi" }];
    const complete = (model: string, key = account.key) =>
      clientWith(key).chat.completions.create({ model, messages });
    await expect(complete("test-small", "sk-tollgate-wrong")).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
    await expect(complete("no-such-model")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(complete("test-internal")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(complete("test-embed")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(complete("test-failing")).rejects.toThrow(OpenAI.InternalServerError);
    const wrong = client.chat.completions.create({ model: "test-small", messages, n: 0 });
    await expect(wrong).rejects.toThrow(OpenAI.BadRequestError);
    const poor = await stack.newAccount(0);
    await expect(complete("test-small", poor.key)).rejects.toMatchObject({
      status: 402,
      code: "credit_balance_exhausted",
      type: "insufficient_credits",
    });
    await stack.operator.revokeKey({ keyId: poor.keyId });
    await eventually(() =>
      expect(complete("test-small", poor.key)).rejects.toThrow(OpenAI.PermissionDeniedError),
    );
  });
});
