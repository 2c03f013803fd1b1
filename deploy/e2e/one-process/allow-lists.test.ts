import { type Switch, switches } from "@tollgate/catalog/allowances";
import { describe, expect, test } from "vitest";
import { metricSum } from "../src/process-metrics.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, lastCall, lastSent } = await sharedStack();

/** What a wire's request asks for, by the switch that a model must have on for it. */
type Case = [needs: Switch, param: string, more: object];

const wires = [
  {
    path: "/v1/messages",
    provider: "claude",
    body: (more: object) => ({
      model: "test-claude",
      max_tokens: 50,
      messages: [{ role: "user", content: "Hello there" }],
      ...more,
    }),
    translated: "test-small",
  },
  {
    path: "/v1/responses",
    provider: "openai",
    body: (more: object) => ({ model: "test-gpt", input: "Hello there", ...more }),
    translated: "test-small",
  },
];
const [messages, responses] = wires as [(typeof wires)[0], (typeof wires)[0]];

function post({ path, body }: (typeof wires)[0], model: string, more: object | string) {
  const sent = typeof more === "string" ? more : { ...body(more), model };
  return send(`${stack.url}${path}`, { key: account.key, body: sent });
}

function calls(): number {
  return stack.simulator.calls.list().length;
}

const user = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const said = (...content: object[]) => ({ input: [{ role: "user", content }] });
const fn = { type: "object" };

const messagesCases: Case[] = [
  ["priority", "service_tier", { service_tier: "priority" }],
  ["priority", "speed", { speed: "fast" }],
  ["priority", "inference_geo", { inference_geo: "us" }],
  ["web_search", "tools[0].type", { tools: [{ type: "web_search_20260318", name: "web_search" }] }],
  ["web_fetch", "tools[0].type", { tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }],
  [
    "code_execution",
    "tools[0].type",
    { tools: [{ type: "code_execution_20260521", name: "code_execution" }] },
  ],
  [
    "code_execution",
    "tools[0].allowed_callers[0]",
    { tools: [{ name: "f", input_schema: fn, allowed_callers: ["code_execution_20260120"] }] },
  ],
  ["mcp", "mcp_servers", { mcp_servers: [{ type: "url", url: "https://m.test", name: "m" }] }],
  ["mcp", "tools[0].type", { tools: [{ type: "mcp_toolset", mcp_server_name: "m" }] }],
  [
    "urls",
    "messages[0].content[0].source.type",
    user({ type: "document", source: { type: "url", url: "https://d.test/a.pdf" } }),
  ],
  [
    "stored",
    "messages[0].content[0].source.type",
    user({ type: "image", source: { type: "file", file_id: "file_1" } }),
  ],
  ["stored", "container", { container: "container_1" }],
];

const responsesCases: Case[] = [
  ["priority", "service_tier", { service_tier: "fast" }],
  ["priority", "service_tier", { service_tier: "flex" }],
  ["web_search", "tools[0].type", { tools: [{ type: "web_search_2025_08_26" }] }],
  ["web_search", "include[0]", { include: ["web_search_call.results"] }],
  [
    "code_execution",
    "tools[0].type",
    { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
  ],
  ["image_generation", "tools[0].type", { tools: [{ type: "image_generation" }] }],
  [
    "file_search",
    "tools[0].type",
    { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
  ],
  [
    "mcp",
    "tools[0].type",
    { tools: [{ type: "mcp", server_label: "m", server_url: "https://m" }] },
  ],
  [
    "mcp",
    "input[0].tools[0].type",
    {
      input: [
        {
          type: "additional_tools",
          role: "developer",
          tools: [{ type: "mcp", server_label: "m" }],
        },
        { role: "user", content: "x" },
      ],
    },
  ],
  [
    "urls",
    "input[0].content[0].file_url",
    said({ type: "input_file", file_url: "https://d.test" }),
  ],
  ["stored", "input[0].content[0].file_id", said({ type: "input_image", file_id: "file_1" })],
  ["stored", "input[0].type", { input: [{ type: "item_reference", id: "rs_1" }] }],
];

/** The model that allows file_search allows stored, too: it searches stored files. */
function othersOf(needs: Switch): readonly Switch[] {
  return switches.filter((one) => one !== needs && !(needs === "stored" && one === "file_search"));
}

test("each switch has a case", () => {
  const needed = [...messagesCases, ...responsesCases].map(([needs]) => needs);
  expect([...new Set(needed)].sort()).toEqual([...switches].sort());
});

describe.each([
  [messages, messagesCases],
  [responses, responsesCases],
] as const)("$path", (wire, cases) => {
  test.each(
    cases,
  )("with %s on, %s reaches the provider; with it off, it is refused by name", async (needs, param, more) => {
    const before = calls();
    await post(wire, `test-allows-${wire.provider}-${needs}`, more);
    expect(calls()).toBe(before + 1);
    expect(lastSent()).toMatchObject(more);
    // Every other switch is on, one at a time: none of them is taken for this one.
    for (const other of othersOf(needs)) {
      const refused = await post(wire, `test-allows-${wire.provider}-${other}`, more);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { error: { code: "invalid_param", param } },
      ]);
      expect(refused.text).toContain(`the model does not allow ${needs}`);
    }
    const translated = await post(wire, wire.translated, more);
    expect(translated.body).toMatchObject({ error: { code: "invalid_param", param } });
    expect(calls()).toBe(before + 1);
  });

  test("what is not listed is refused by name, at providers of the wire and at others", async () => {
    const before = calls();
    const unlisted: [string, string, object][] = [
      ["unseen", "unknown_param", { unseen: 1 }],
      ["constructor", "unknown_param", { constructor: 1 }],
      ["Tools", "unknown_param", { Tools: [] }],
      ["tools[0].type", "invalid_param", { tools: [{ type: "advisor_20260301", name: "a" }] }],
      wire === messages
        ? [
            "messages[0].content[0].unseen",
            "unknown_param",
            user({ type: "text", text: "x", unseen: 1 }),
          ]
        : [
            "input[0].content[0].unseen",
            "unknown_param",
            said({ type: "input_text", text: "x", unseen: 1 }),
          ],
    ];
    for (const model of [wire.body({}).model, wire.translated]) {
      for (const [param, code, more] of unlisted) {
        const refused = await post(wire, model as string, more);
        expect([refused.status, refused.body]).toMatchObject([400, { error: { code, param } }]);
      }
    }
    expect(calls()).toBe(before);
  });

  test("a member that the model allows by its name reaches the provider, and no other spelling", async () => {
    const model = `test-allows-${wire.provider}-member:unseen`;
    await post(wire, model, { unseen: [1] });
    expect(lastSent()).toMatchObject({ unseen: [1] });
    const refused = await post(wire, model, { Unseen: [1] });
    expect(refused.body).toMatchObject({ error: { code: "unknown_param", param: "Unseen" } });
  });

  test("a body with a name twice, or with escapes, is sent as it was checked", async () => {
    const text = JSON.stringify(wire.body({ tools: [], metadata: { user_id: "u" } }));
    const search = '"tools":[{"type":"web_search_20250305","name":"web_search"}],';
    for (const doubled of [
      text.replace('"tools"', `${search}"tools"`),
      text.replace('"tools"', `${search}"\\u0074ools"`),
      text.replace('"user_id"', '"user_id":"v","user_id"'),
      text.replace('"tools"', '"t\\u006fols"'),
    ]) {
      expect(doubled).not.toBe(text);
      const response = await post(wire, "", doubled);
      expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      expect(lastSent()).toMatchObject({ tools: [], metadata: { user_id: "u" } });
      expect(lastCall().contentLength).toBe(JSON.stringify(lastSent()).length);
    }
  });
});

describe("at a provider of Anthropic's API", () => {
  test.each([
    {},
    { service_tier: "auto" },
    { service_tier: "standard_only" },
  ])("%j asks for no priority, unless the model allows it", async (more) => {
    await post(messages, "test-claude", more);
    expect(lastSent().service_tier).toBe("standard_only");
    await post(messages, "test-allows-claude-priority", more);
    expect(lastSent()).toMatchObject(more);
    expect(Object.keys(lastSent())).toHaveLength(3 + Object.keys(more).length);
  });

  test("a beta that is unknown, or that the model does not allow, is not sent, counted and logged", async () => {
    const unseen = "unseen-2026-11-01";
    const header = `${unseen}, interleaved-thinking-2025-05-14,fast-mode-2026-02-01`;
    const sentTo = async (model: string) => {
      const headers = { "anthropic-beta": header };
      const body = messages.body({ model });
      for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
        const { max_tokens: _, ...counted } = body as Record<string, unknown>;
        const sent = path === "/v1/messages" ? body : counted;
        const response = await send(`${stack.url}${path}`, {
          key: account.key,
          headers,
          body: sent,
        });
        expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      }
      return lastCall().vendorHeaders["anthropic-beta"];
    };
    expect(await sentTo("test-claude")).toBe("interleaved-thinking-2025-05-14");
    expect(await sentTo(`test-allows-claude-beta:${unseen}`)).toBe(
      `${unseen},interleaved-thinking-2025-05-14`,
    );
    expect(await sentTo("test-allows-claude-priority")).toBe(
      "interleaved-thinking-2025-05-14,fast-mode-2026-02-01",
    );
    const dropped = await metricSum(stack.operationsUrls, "tollgate_dropped_betas_total");
    expect(dropped).toBeGreaterThanOrEqual(8);
  });
});

test("Codex's search of cached pages is left out, unless the model allows web_search", async () => {
  const idle = { type: "web_search", external_web_access: false };
  const read = { type: "function", name: "read", parameters: {}, strict: false };
  const more = { tools: [idle, read], input: [{ role: "user", content: "Hello there" }] };
  const response = await post(responses, "test-gpt", more);
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  expect(lastSent().tools).toEqual([read]);
  await post(responses, "test-allows-openai-web_search", more);
  expect(lastSent().tools).toEqual([idle, read]);
  const external = await post(responses, "test-gpt", { tools: [{ type: "web_search" }] });
  expect(external.body).toMatchObject({ error: { param: "tools[0].type" } });
});
