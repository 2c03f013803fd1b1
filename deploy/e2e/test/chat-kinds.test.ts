import { randomUUID } from "node:crypto";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, test } from "vitest";
import { type ChatKind, type ChatVariant, chatKinds } from "../src/chat-kinds.ts";
import { billPart, citySchema, pixel, readFile, soundPart } from "../src/chat-parts.ts";
import { choicesIn, contentOf, reasoningOf } from "../src/chat-response.ts";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const readCall = { name: "read_file", arguments: '{"path":"README.md"}' };
const named = { type: "function", function: { name: "read_file" } };
const bothModes = [false, true];

const { stack, account, client, lastSent } = await sharedStack();

/** Asks the model of a kind, as its slot behaves in the variant. */
function post(
  { kind }: ChatKind,
  variant: ChatVariant | "-second",
  more: object = {},
): Promise<HttpResponse> {
  const body = chatBody({ model: `kind-${kind}${variant}`, ...more });
  return send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
}

function see(url: string): object {
  const parts = [
    { type: "text", text: "See" },
    { type: "image_url", image_url: { url } },
  ];
  return { messages: [{ role: "user", content: parts }] };
}

/** Expects each wire's refusal of a prompt that is too long, with the provider's words. */
async function expectTooLong({ kind, tooLong }: ChatKind, variant: ChatVariant, stream: boolean) {
  const messages = [{ role: "user", content: "Hello there" }];
  const wires = [
    ["/v1/chat/completions", "messages", { messages }],
    ["/v1/messages", "messages", { messages, max_tokens: 50 }],
    ["/v1/responses", "input", { input: "Hello there" }],
  ] as const;
  for (const [path, param, more] of wires) {
    const body = { model: `kind-${kind}${variant}`, stream, ...more };
    const refused = await send(`${stack.url}${path}`, { key: account.key, body });
    const error = { code: "context_length_exceeded", type: "invalid_request_error", param };
    expect([path, refused.status, refused.body]).toMatchObject([path, 400, { error }]);
    expect(refused.text).toContain(tooLong);
  }
}

/** Expects that a part reaches the model, where its kind takes one. */
async function expectPart(row: ChatKind, input: "pdf" | "audio", part: object, read: string) {
  const content = [{ type: "text", text: "Take" }, part];
  const response = await post(row, "", { messages: [{ role: "user", content }] });
  if (row.inputs?.includes(input)) expect(contentOf(response.text)).toContain(read);
  else expectEnvelope(response, 400, "invalid_param", "messages[0].content[1]");
}

/** The columns of the table. Each holds for every kind, but where the row says why it does not. */
const columns: Record<string, (row: ChatKind) => Promise<void>> = {
  async "returns a completion"(row) {
    const response = await post(row, "");
    expect(response.body).toMatchObject({
      id: expect.any(String),
      object: "chat.completion",
      model: `kind-${row.kind}`,
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: "You said: Hello there" },
        },
      ],
      // 3 × 1 + 6 × 4 = 27 USD per million.
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_027 },
    });
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ provider: row.provider, amountNanoUsd: -27_000n });
  },

  async "streams chunks that end with usage and cost"(row) {
    const response = await post(row, "", { stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(contentOf(response.text)).toBe("You said: Hello there");
    const finishes = choicesIn(response.text).flatMap((choice) => choice.finish_reason ?? []);
    expect(finishes).toEqual(["stop"]);
    const events = eventsOf(response.text);
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.at(-2)).toMatchObject({
      model: `kind-${row.kind}`,
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 6, cost: 0.000_027 },
    });
  },

  async "bills the dimensions that the provider reports"(row) {
    for (const stream of bothModes) {
      const response = await post(row, "-cached", { stream });
      // 100 × 1 + 600 × 0.10 + 40 × 4 = 320 USD per million.
      expect(response.text).toContain('"cost":0.00032');
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry?.lines).toMatchObject([
        { dimension: "input", quantity: 100n },
        { dimension: "cached_input", quantity: 600n },
        { dimension: "output", quantity: 40n },
      ]);
    }
  },

  async "sends system and developer messages"(row) {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "developer", content: "Be kind." },
      { role: "user", content: "Hello there" },
    ];
    const response = await post(row, "", { messages });
    expect(contentOf(response.text)).toBe("You said: Hello there");
    expect(JSON.stringify(lastSent())).toMatch(/Be brief\..*Be kind\./);
  },

  async "sends images as data"(row) {
    const response = await post(row, "", see(pixel));
    expect(contentOf(response.text)).toContain("I see 1 image.");
  },

  async "sends images by address, or refuses them by name"(row) {
    const response = await post(row, "", see("https://example.com/a.png"));
    const { refusedAddress } = row;
    if (refusedAddress === undefined) {
      expect(contentOf(response.text)).toContain("I see 1 image.");
      expect(JSON.stringify(lastSent())).toContain("https://example.com/a.png");
    } else {
      expectEnvelope(response, 400, "invalid_param", refusedAddress);
    }
  },

  async "sends a PDF, or refuses it by name"(row) {
    await expectPart(row, "pdf", billPart, "I read 1 file.");
  },

  async "sends audio, or refuses it by name"(row) {
    await expectPart(row, "audio", soundPart, "I hear 1 recording.");
  },

  async "calls tools in parallel and takes their results"(row) {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { model: `kind-${row.kind}-parallel`, tools: [readFile] };
    const called = await client.chat.completions.create({ ...request, messages });
    const [choice] = called.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.tool_calls).toMatchObject([1, 2, 3].map(() => ({ function: readCall })));
    if (choice === undefined) return;
    const ids = (choice.message.tool_calls ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    const results = ids.map((tool_call_id, index) => ({
      role: "tool" as const,
      tool_call_id,
      content: `contents ${index}`,
    }));
    messages.push(choice.message, ...results);
    const done = await client.chat.completions.create({ ...request, messages });
    expect(done.choices[0]?.message.content).toContain("The tool returned: contents ");
    const sent = JSON.stringify(lastSent());
    for (const { content } of results) expect(sent).toContain(content);
  },

  async "streams the arguments of parallel calls"(row) {
    const runner = client.chat.completions.stream({
      model: `kind-${row.kind}-parallel`,
      tools: [readFile],
      messages: [{ role: "user", content: "Read it" }],
    });
    const { choices } = await runner.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(choices[0]?.message.tool_calls).toMatchObject(
      [1, 2, 3].map(() => ({ function: readCall })),
    );
  },

  async "takes every tool choice"(row) {
    for (const tool_choice of ["auto", "required", named]) {
      const response = await post(row, "", { tools: [readFile], tool_choice });
      expect(choicesIn(response.text)).toMatchObject([{ finish_reason: "tool_calls" }]);
    }
    const none = await post(row, "", { tools: [readFile], tool_choice: "none" });
    expect(contentOf(none.text)).toBe("You said: Hello there");
  },

  async "responds by a JSON schema"(row) {
    const json_schema = { name: "answer", strict: true, schema: citySchema };
    const response_format = { type: "json_schema", json_schema };
    for (const stream of bothModes) {
      const response = await post(row, "", { response_format, stream });
      expect(JSON.parse(contentOf(response.text))).toEqual({ city: expect.any(String) });
    }
  },

  async "sends stop sequences"(row) {
    expect((await post(row, "", { stop: ["HALT", "END"] })).status).toBe(200);
    expect(JSON.stringify(lastSent())).toContain('["HALT","END"]');
  },

  async "is sent an output limit that the wallet covers"(row) {
    const { key } = await stack.newAccount(0.003, "strict");
    const body = chatBody({ model: `kind-${row.kind}`, max_tokens: 4_000 });
    const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
    expect(response.status).toBe(200);
    const sent = row.limit.reduce<unknown>(
      (value, member) => (value as Record<string, unknown>)[member],
      lastSent(),
    );
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(750);
  },

  async "returns thinking"(row) {
    for (const stream of bothModes) {
      const response = await post(row, "", { ...row.thinking, stream });
      expect(reasoningOf(response.text)).toBe("The user wrote something. I will respond to it.");
      expect(contentOf(response.text)).toBe("You said: Hello there");
    }
  },

  async "refuses a member by name"(row) {
    const [param = "", more] = row.refused ?? [];
    const before = stack.simulator.calls.list().length;
    expectEnvelope(await post(row, "", more), 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  },

  async "reports a content filter"(row) {
    for (const stream of bothModes) {
      const response = await post(row, "-filtered", { stream });
      const finishes = choicesIn(response.text).flatMap((choice) => choice.finish_reason ?? []);
      expect(finishes).toEqual(["content_filter"]);
    }
  },

  async "ends with an error, at no cost, where the provider cuts its stream"(row) {
    for (const variant of ["-cut", "-ended"] as const) {
      const response = await post(row, variant, { stream: true });
      const { text } = response;
      expect(contentOf(text)).not.toBe("");
      expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
      expect(text).not.toContain("[DONE]");
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry?.amountNanoUsd).toBe(0n);
    }
  },

  async "is followed by the next slot, at its price"(row) {
    const cases: [ChatVariant, boolean][] = [
      ["-limited", false],
      ["-limited", true],
      ["-down", false],
      ["-down", true],
      ["-cut-first", true],
    ];
    for (const [variant, stream] of cases) {
      const response = await post(row, variant, { stream });
      expect(contentOf(response.text)).toBe("You said: Hello there");
      // 3 × 1 + 6 × 2 = 15 USD per million.
      expect(response.text).toContain('"cost":0.000015');
    }
  },

  async "serves where the slot before it is down"(row) {
    for (const stream of bothModes) {
      const response = await post(row, "-second", { stream });
      expect(response.text).toContain('"cost":0.000027');
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider: row.provider });
    }
  },

  async "is not followed where the request is at fault"(row) {
    const response = await post(row, "-invalid");
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.text).toContain("that is no good");
  },

  async "says on each wire that a prompt is too long"(row) {
    for (const stream of bothModes) await expectTooLong(row, "-too-long", stream);
  },

  async "says the same where a stream begins with the error"(row) {
    await expectTooLong(row, "-too-long-event", true);
  },

  async "is ended when the client goes away"(row) {
    const before = stack.simulator.calls.list().length;
    const abort = new AbortController();
    const { data: stream, request_id } = await client.chat.completions
      .create(
        {
          model: `kind-${row.kind}-slow`,
          stream: true,
          messages: [{ role: "user", content: "Go on" }],
        },
        { signal: abort.signal },
      )
      .withResponse();
    for await (const _ of stream) {
      abort.abort();
      break;
    }
    await eventually(() => {
      const [call] = stack.simulator.calls.list().slice(before);
      expect(call?.outcome).toBe("client_disconnected");
    });
    await eventually(async () => {
      const entry = await entryOf(stack, account, request_id);
      expect(entry?.basis).toBe("tokenized");
      expect(entry?.amountNanoUsd).toBeLessThan(0n);
    });
  },

  async "goes on with a tool loop that another kind has begun"(row) {
    const other = row.kind === "anthropic" ? "google" : "anthropic";
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Read it" }];
    const request = { tools: [readFile], max_tokens: 4_000 };
    const model = `kind-${other}`;
    const called = await client.chat.completions.create({ ...request, model, messages });
    const [choice] = called.choices;
    const [call] = choice?.message.tool_calls ?? [];
    if (choice === undefined || call === undefined) throw new Error("no tool was called");
    messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "text" });
    const next = { ...request, model: `kind-${row.kind}`, messages };
    const done = await client.chat.completions.create(next);
    expect(done.choices[0]?.message.content).toBe("The tool returned: text");
  },

  async "continues a conversation"(row) {
    const session_id = randomUUID();
    const first = await post(row, "", { session_id, tools: [readFile] });
    const { choices } = first.body as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
    const [{ id }] = choices[0].message.tool_calls;
    const result = [{ role: "tool", tool_call_id: id, content: "text" }];
    const second = await post(row, "", { session_id, messages: result, tools: [readFile] });
    expect(contentOf(second.text)).toContain("The tool returned: text");
    expect(JSON.stringify(lastSent())).toMatch(/Hello there.*read_file.*text/);
  },

  async "has its supported parameters in the model's entry"(row) {
    const { body } = await send(`${stack.url}/v1/models/kind-${row.kind}`);
    const { supported_parameters: supported } = body as { supported_parameters: string[] };
    expect(supported).toEqual(expect.arrayContaining([...row.supported]));
    for (const parameter of row.unsupported) expect(supported).not.toContain(parameter);
  },
};

describe.each(chatKinds.map((row) => [row.kind, row] as const))("chat by %s", (_, row) => {
  const absent = row.absent ?? {};
  const present = Object.entries(columns).filter(([column]) => absent[column] === undefined);

  test.each(present)("%s", (_column, hold) => hold(row));

  test("leaves out only columns of the table", () => {
    expect(Object.keys(columns)).toEqual(expect.arrayContaining(Object.keys(absent)));
  });
});
