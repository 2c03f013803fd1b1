import type { JsonObject } from "@tollgate/core/json";
import { expect, test } from "vitest";
import {
  bedrockUnderTest,
  claude,
  cohereUnderTest,
  gemini,
  mistralUnderTest,
} from "../test/kinds.ts";
import { type KindUnderTest, startProvider } from "../test/provider-of-kind.ts";
import { withMediaBehind } from "./result-media.ts";

const gemini3 = { ...gemini, modelId: "gemini-3-pro-preview" };
const nova = { ...bedrockUnderTest, modelId: "amazon.nova-pro-v1:0" };
const llama = { ...bedrockUnderTest, modelId: "meta.llama3-70b-instruct-v1:0" };

const user = { role: "user", content: "Hi" };
const tool = { type: "function", function: { name: "read", parameters: { type: "object" } } };
const call = (id: string) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "" },
});
const calling = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map(call),
});
const png = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } };
const gif = { type: "image_url", image_url: { url: "data:image/gif;base64,R0lG" } };
const atUrl = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
const text = (words: string) => ({ type: "text", text: words });
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });

/** Resolves with what a provider of a kind is sent for a session of an agent. */
async function sentFor(kind: KindUnderTest, messages: object[], more: JsonObject = {}) {
  const { bodies, check, post } = await startProvider(kind);
  const request = { model: "a", messages, tools: [tool], max_completion_tokens: 4_000, ...more };
  await check(request);
  await post(request);
  return bodies[0] as JsonObject & Record<"messages" | "contents", JsonObject[]>;
}

const id = "toolu_000";
const behind = (n: number) =>
  `[image ${n} of the results of tools: see the message after the results]`;
const label = (n: number) => `[image ${n} of the results of tools]`;
const leftOut = "[image left out: this model does not take it]";

const anthropicPng = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
};
const bedrockPng = { image: { format: "png", source: { bytes: "AAAA" } } };
const googlePng = { inlineData: { mimeType: "image/png", data: "AAAA" } };
const mistralPng = { type: "image_url", image_url: "data:image/png;base64,AAAA" };
const coherePng = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

test.each<[string, KindUnderTest, (body: Awaited<ReturnType<typeof sentFor>>) => unknown, object]>([
  [
    "anthropic",
    claude,
    ({ messages }) => messages[2]?.content,
    [
      {
        type: "tool_result",
        tool_use_id: id,
        content: [{ type: "text", text: "a.png:" }, anthropicPng],
      },
    ],
  ],
  [
    "bedrock, Claude",
    bedrockUnderTest,
    ({ messages }) => messages[2]?.content,
    [{ toolResult: { toolUseId: id, content: [{ text: "a.png:" }, bedrockPng] } }],
  ],
  [
    "bedrock, Nova",
    nova,
    ({ messages }) => messages[2]?.content,
    [{ toolResult: { toolUseId: id, content: [{ text: "a.png:" }, bedrockPng] } }],
  ],
  [
    "bedrock, Llama",
    llama,
    ({ messages }) => messages[2]?.content,
    [
      { toolResult: { toolUseId: id, content: [{ text: `a.png:\n${behind(1)}` }] } },
      { text: label(1) },
      bedrockPng,
    ],
  ],
  [
    "google, Gemini 2.5",
    gemini,
    ({ contents }) => contents.slice(2),
    [
      { parts: [{ functionResponse: { response: { content: `a.png:\n${behind(1)}` } } }] },
      { role: "user", parts: [{ text: label(1) }, googlePng] },
    ],
  ],
  [
    "google, Gemini 3",
    gemini3,
    ({ contents }) => contents.slice(2),
    [{ parts: [{ functionResponse: { response: { content: "a.png:" }, parts: [googlePng] } }] }],
  ],
  [
    "mistral",
    mistralUnderTest,
    ({ messages }) => messages.slice(2),
    [
      { role: "tool", content: `a.png:\n${behind(1)}` },
      { role: "assistant", content: "Understood." },
      { role: "user", content: [{ type: "text", text: label(1) }, mistralPng] },
    ],
  ],
  [
    "cohere",
    cohereUnderTest,
    ({ messages }) => messages.slice(2),
    [
      { role: "tool", content: `a.png:\n${behind(1)}` },
      { role: "user", content: [{ type: "text", text: label(1) }, coherePng] },
    ],
  ],
])("an image in the result of a tool reaches %s", async (_, kind, sentIn, expected) => {
  const messages = [user, calling(id), result(id, [text("a.png:"), png])];
  expect(sentIn(await sentFor(kind, messages))).toMatchObject(expected);
});

test("the images of parallel results follow all of them, in order", () => {
  const messages = [
    user,
    calling("a", "b"),
    result("a", [png]),
    result("b", [text("two"), png, atUrl]),
    user,
    calling("c"),
    result("c", [png]),
  ];
  expect(withMediaBehind(messages)).toEqual([
    user,
    calling("a", "b"),
    result("a", [text(behind(1))]),
    result("b", [text("two"), text(behind(2)), text(behind(3))]),
    { role: "user", content: [text(label(1)), png, text(label(2)), png, text(label(3)), atUrl] },
    user,
    calling("c"),
    result("c", [text(behind(1))]),
    { role: "user", content: [text(label(1)), png] },
  ]);
});

test.each<[string, KindUnderTest, object]>([
  ["gemini", gemini, gif],
  ["gemini", gemini3, gif],
  ["bedrock", bedrockUnderTest, atUrl],
  ["bedrock", llama, atUrl],
])("an image of a result that %s does not take is a note", async (_, kind, image) => {
  const body = await sentFor(kind, [user, calling(id), result(id, [image])]);
  expect(JSON.stringify(body)).toContain(leftOut);
});

test("a mark of the cache stays on the result whose image is not in it", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const marked = result(id, [{ ...atUrl, ...mark }]);
  const { messages } = await sentFor(bedrockUnderTest, [user, calling(id), marked]);
  expect(messages[2]?.content).toMatchObject([
    { toolResult: { content: [{ text: leftOut }] } },
    { cachePoint: { type: "default" } },
  ]);
});

const kinds: [string, KindUnderTest][] = [
  ["anthropic", claude],
  ["bedrock", bedrockUnderTest],
  ["google", gemini],
  ["mistral", mistralUnderTest],
  ["cohere", cohereUnderTest],
];

test.each(kinds)("%s is not sent a turn of thinking alone, or without a text", async (_, kind) => {
  const said = { role: "assistant", content: "Yes?" };
  for (const turn of [
    { role: "assistant", content: null, reasoning_content: "Hm." },
    { role: "assistant", content: "" },
    { role: "assistant", content: [text("")], reasoning: "Hm." },
  ]) {
    const body = await sentFor(kind, [user, said, user, turn, user]);
    const turns = (body.contents ?? body.messages) as JsonObject[];
    expect(turns.filter(({ role }) => role !== "user")).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain("Hm.");
  }
});

test.each([
  [claude, "thinking"],
  [bedrockUnderTest, "additionalModelRequestFields"],
] as const)("Claude does not think in a turn that began without: %#", async (kind, member) => {
  const effort = { reasoning_effort: "high" };
  const turn = [user, calling(id), result(id, "a")];
  expect(await sentFor(kind, turn, effort)).not.toHaveProperty(member);
  const said = { role: "assistant", content: "Yes?" };
  expect(await sentFor(kind, [...turn, said, user], effort)).toHaveProperty(member);
});

test.each(kinds)("%s is sent empty arguments as an empty object", async (name, kind) => {
  const body = await sentFor(kind, [user, calling(id), result(id, "")]);
  const input = { anthropic: "input", bedrock: "input", google: "args" }[name];
  expect(JSON.stringify(body)).toContain(
    input === undefined ? '"arguments":"{}"' : `"${input}":{}`,
  );
});

test.each(kinds)("%s is sent no blank result", async (_, kind) => {
  const body = await sentFor(kind, [user, calling(id), result(id, "\n")]);
  expect(JSON.stringify(body)).toContain('"(empty)"');
});

test("mistral is sent a turn of the assistant between a result and the user", async () => {
  const turns = [user, calling(id), result(id, "a"), user];
  const { messages } = await sentFor(mistralUnderTest, turns);
  expect(messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

test.each<[KindUnderTest, string]>([
  [claude, "claude-3-5-haiku-20241022"],
  [bedrockUnderTest, "anthropic.claude-3-5-sonnet-20240620-v1:0"],
  [bedrockUnderTest, "meta.llama3-70b-instruct-v1:0"],
  [bedrockUnderTest, "amazon.nova-pro-v1:0"],
  [gemini, "gemini-2.0-flash"],
  [gemini, "gemma-3-27b-it"],
  [mistralUnderTest, "mistral-large-latest"],
  [mistralUnderTest, "codestral-latest"],
  [cohereUnderTest, "command-r-plus-08-2024"],
  [cohereUnderTest, "command-a-03-2025"],
])("the switch of thinking is left out for a model that does not think: %# %s", async (kind, modelId) => {
  const plain = await sentFor({ ...kind, modelId }, [user]);
  for (const reasoning_effort of ["none", "low", "high", "max"]) {
    expect(await sentFor({ ...kind, modelId }, [user], { reasoning_effort })).toEqual(plain);
  }
});

test.each<[string, KindUnderTest]>([
  ["google", gemini],
  ["mistral", mistralUnderTest],
  ["cohere", cohereUnderTest],
  ["bedrock, Llama", { ...llama, modelId: "meta.llama3-70b-instruct-v1:0" }],
])("marks of the cache, and the detail of an image, are left out for %s", async (_, kind) => {
  const mark = { cache_control: { type: "ephemeral" } };
  const marked = [
    { role: "system", content: [{ ...text("Be brief."), ...mark }] },
    { role: "user", content: [{ ...text("Hi"), ...mark }, png] },
  ];
  const body = await sentFor(kind, marked, { tools: [{ ...tool, ...mark }] });
  expect(JSON.stringify(body)).not.toMatch(/cache|ephemeral|detail/);
});

const mark = { cache_control: { type: "ephemeral" } };

test("a mark of a message marks its last part", async () => {
  const messages = [
    { role: "system", content: "Be brief.", ...mark },
    { role: "user", content: [text("a"), text("b")], ...mark },
    { ...calling(id), ...mark },
    { ...result(id, "Found."), ...mark },
  ];
  const sent = await sentFor(claude, messages);
  expect(sent.system).toMatchObject([{ text: "Be brief.", ...mark }]);
  const [asked, called, answered] = sent.messages;
  expect(asked?.content).toEqual([text("a"), { ...text("b"), ...mark }]);
  expect(called?.content).toMatchObject([{ type: "tool_use" }]);
  expect(answered?.content).toMatchObject([{ type: "tool_result", content: "Found.", ...mark }]);
  const other = await sentFor(gemini, messages);
  expect(JSON.stringify(other)).not.toContain("cache");
});

test.each([
  [claude, "cache_control"],
  [bedrockUnderTest, "cachePoint"],
])("of more than four marks, the last four are sent: %o", async (kind, member) => {
  const parts = ["1", "2", "3", "4"].map((words) => ({ ...text(words), ...mark }));
  const messages = [
    { role: "system", content: "Be brief.", ...mark },
    { role: "user", content: parts },
  ];
  const sent = await sentFor(kind, messages, { tools: [{ ...tool, ...mark }] });
  expect(JSON.stringify(sent).split(`"${member}"`)).toHaveLength(5);
  const inMessages = JSON.stringify(sent.messages).split(`"${member}"`);
  expect(inMessages).toHaveLength(5);
});

test("a marked tool has a cache point for Claude by Bedrock, and none for Nova", async () => {
  const marked = { tools: [{ ...tool, ...mark }] };
  for (const [kind, points] of [
    [bedrockUnderTest, 1],
    [nova, 0],
  ] as const) {
    const sent = await sentFor(kind, [user], marked);
    expect(JSON.stringify(sent.toolConfig).split("cachePoint")).toHaveLength(points + 1);
  }
});

test.each(kinds)("%s is sent a call whose arguments are no JSON object", async (_, kind) => {
  const called = (...texts: string[]) => ({
    role: "assistant",
    content: null,
    tool_calls: texts.map((args, index) => ({
      ...call(`toolu_${index}`),
      function: { name: "read", arguments: args },
    })),
  });
  const results = [0, 1, 2].map((index) => ({ ...result(`toolu_${index}`, "No."), name: "read" }));
  const messages = [user, called('{"path": "ab', "[1]", "null"), ...results, user];
  const body = JSON.stringify(await sentFor(kind, messages)).replaceAll("\\", "");
  expect(body).toContain('{"arguments":"{"path": "ab"}');
  expect(body).toContain('{"arguments":"[1]"}');
});

test("Bedrock is sent ids of calls that it takes, and tools that may not be called", async () => {
  const ids = ["functions.read:0", "a|b", "c".repeat(65), "call_1"];
  const messages = [user, calling(...ids), ...ids.map((one) => result(one, "Found.")), user];
  const sent = await sentFor(bedrockUnderTest, messages, { tool_choice: "none" });
  const blocks = sent.messages.flatMap(({ content }) => content as JsonObject[]);
  const idsOf = (member: string) =>
    blocks.flatMap((block) => (member in block ? [(block[member] as JsonObject).toolUseId] : []));
  expect(idsOf("toolUse")).toEqual(idsOf("toolResult"));
  expect(new Set(idsOf("toolUse")).size).toBe(4);
  expect(idsOf("toolUse").at(-1)).toBe("call_1");
  for (const one of idsOf("toolUse")) expect(one).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(sent.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "read" } }] });
});

test.each(kinds)("%s is sent image/jpg as image/jpeg, and schemas of objects", async (_, kind) => {
  const jpg = { type: "image_url", image_url: { url: "data:image/jpg;base64,/9j/" } };
  const bare = { type: "function", function: { name: "read", parameters: {} } };
  const messages = [{ role: "user", content: [text("See"), jpg] }];
  const body = JSON.stringify(await sentFor(kind, messages, { tools: [bare] }));
  expect(body).not.toContain("image/jpg");
  expect(body).toContain('{"type":"object","properties":{}}');
});

test.each([
  ["mistral-small-2506", false],
  ["mistral-medium-2508", false],
  ["open-mistral-nemo", false],
  ["devstral-2512", false],
  ["magistral-medium-2509", false],
  ["mistral-small-2603", true],
  ["magistral-medium-latest", true],
])("an effort is sent to Mistral's models that take one: %s", async (modelId, takesOne) => {
  const body = await sentFor({ ...mistralUnderTest, modelId }, [user], {
    reasoning_effort: "high",
  });
  expect("reasoning_effort" in body).toBe(takesOne);
});

const said = { role: "assistant", content: "Yes?" };

test.each<[string, KindUnderTest, (body: Awaited<ReturnType<typeof sentFor>>) => unknown, object]>([
  [
    "google",
    gemini,
    ({ contents }) => contents.map(({ parts }) => parts),
    [[{ text: "(empty)" }], [{ text: "Yes?" }], [{ text: "Hi" }]],
  ],
  [
    "anthropic",
    claude,
    ({ messages }) => messages.map(({ content }) => content),
    [
      [{ type: "text", text: "(empty)" }],
      [{ type: "text", text: "Yes?" }],
      [{ type: "text", text: "Hi" }],
    ],
  ],
])("%s is sent no empty text of a user", async (_, kind, sentIn, expected) => {
  const system = { role: "system", content: "" };
  const messages = [system, { role: "user", content: "" }, said];
  const body = await sentFor(kind, [
    ...messages,
    { role: "user", content: [text(" "), text("Hi")] },
  ]);
  expect(sentIn(body)).toEqual(expected);
  expect(body.system ?? body.systemInstruction).toBeUndefined();
});

test.each([
  [
    "anthropic",
    claude,
    (body: string) => body.matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g),
    ["c", "c", "c-2", "c-3", "c-2", "c-3"],
  ],
  [
    "bedrock",
    bedrockUnderTest,
    (body: string) => body.matchAll(/"toolUseId":"([^"]+)"/g),
    ["c", "c", "c-2", "c-3", "c-2", "c-3"],
  ],
] as const)("%s is sent each id of a call once", async (_, kind, idsIn, expected) => {
  const twice = [calling("c", "c"), result("c", "two"), result("c", "three")];
  const body = await sentFor(kind, [user, calling("c"), result("c", "one"), ...twice]);
  expect([...idsIn(JSON.stringify(body.messages))].map(([, sent]) => sent)).toEqual(expected);
});
