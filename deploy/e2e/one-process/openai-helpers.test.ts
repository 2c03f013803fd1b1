import type OpenAI from "openai";
import { LengthFinishReasonError } from "openai/core/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sharedStack } from "../src/shared-stack.ts";

const weatherReport = z.object({
  place: z.object({ city: z.string(), country_code: z.string().length(2) }),
  celsius: z.number().min(-60).max(60),
  days: z.int(),
  sky: z.enum(["clear", "cloudy", "rain"]),
  warnings: z.array(z.object({ level: z.int().min(2), text: z.string() })),
  note: z.string().nullable(),
});

const { client } = await sharedStack();

describe("the helpers of the openai package, unmodified", () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
  const response_format = zodResponseFormat(weatherReport, "weather_report");

  test("parse returns an object that matches its zod schema", async () => {
    const completion = await client.chat.completions.parse({
      model: "test-small",
      messages,
      response_format,
    });
    const parsed = completion.choices[0]?.message.parsed;
    expect(weatherReport.parse(parsed)).toEqual(parsed);
  });

  test("a stream of a JSON schema is parsed at its end", async () => {
    const stream = client.chat.completions.stream({
      model: "test-small",
      messages,
      response_format,
    });
    const deltas: string[] = [];
    stream.on("content.delta", ({ delta }) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    const message = completion.choices[0]?.message;
    expect(weatherReport.parse(message?.parsed)).toEqual(message?.parsed);
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join("")).toBe(message?.content);
  });

  test("json_object returns an object", async () => {
    const completion = await client.chat.completions.create({
      model: "test-small",
      messages,
      response_format: { type: "json_object" },
    });
    const object = JSON.parse(completion.choices[0]?.message.content ?? "");
    expect(object).toEqual({ reply: expect.stringContaining("Weather?") });
  });

  test("parse throws its typed error when the token limit cuts the JSON", async () => {
    const cut = client.chat.completions.parse({
      model: "test-small",
      messages,
      response_format,
      max_completion_tokens: 2,
    });
    await expect(cut).rejects.toThrow(LengthFinishReasonError);
  });

  test.each([
    false,
    true,
  ])("runTools calls a tool and ends with its result (stream: %s)", async (isStreamed) => {
    const calls: unknown[] = [];
    const getForecast = zodFunction({
      name: "get_forecast",
      parameters: z.object({ city: z.string(), days: z.int().max(7) }),
      function(args) {
        calls.push(args);
        return "It snows";
      },
    });
    const body = { model: "test-small", messages, tools: [getForecast] };
    const runner = isStreamed
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toContain("It snows");
    expect(calls).toEqual([{ city: "Bern", days: 1 }]);
    const usage = await runner.totalUsage();
    expect(usage.completion_tokens).toBeGreaterThan(0);
  });
});
