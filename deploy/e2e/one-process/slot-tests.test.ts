import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routeTypesOf } from "@tollgate/catalog/provider-kind";
import { routeTypes } from "@tollgate/catalog/route-types";
import { vendors } from "@tollgate/providers";
import { listedModels } from "@tollgate/simulator/routes/models";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatKinds } from "../src/chat-kinds.ts";
import { routeKinds } from "../src/route-kinds.ts";
import { type OwnStack, startStack, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

/** One model of each route type at a provider of OpenAI's wire, or the gateway's own. */
const plain = ["test-embed", "test-rerank", "test-taxonomy", "test-entities", "test-image"].concat([
  "test-speech",
  "test-hear",
  "test-hear-dedicated",
  "test-read",
]);
const ofKinds = [
  ...chatKinds.map(({ kind }) => `kind-${kind}`),
  ...routeKinds.map(({ kind, route }) => `kind-${kind}-${route}`),
];
const tested = [...plain, ...ofKinds];
/** The machine may be busy. */
const patient = { timeoutMs: 30_000 };

let stack: OwnStack;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  folder = await mkdtemp(join(tmpdir(), "tollgate-drafts-"));
});

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const tollgate = (args: string[], input?: string) =>
  runTollgate(stack.operatorAddress, testSecrets, args, input);

/** Returns a catalog with one chat model whose provider is at an address. */
function draft(baseUrl: string, provider: object = {}) {
  return JSON.stringify({
    providers: { drafted: { base_url: baseUrl, ...provider } },
    models: [
      {
        ...{ alias: "drafted", route_type: "chat", context_tokens: 8_192, max_output_tokens: 64 },
        pricing: { input: "1", output: "2", cache_write_1h: "2" },
        chain: [{ provider: "drafted", model: "sim-small" }],
      },
    ],
  });
}

describe("a test of a slot", () => {
  test("is served for every route type and kind, with its usage, and is charged to nobody", async () => {
    const before = await stack.operator.listLedger({ limit: 10 });
    for (const alias of tested) {
      const { result } = await stack.operator.testSlot({ test: { alias } }, patient);
      expect([alias, result?.error, result?.status]).toEqual([alias, "", 200]);
      expect(result, alias).toMatchObject({ isServed: true, firstByteMs: expect.any(Number) });
      const sum = result?.usage.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n);
      expect(sum, alias).toBe(result?.costNanoUsd);
      expect(
        result?.usage.some(({ quantity }) => quantity > 0n),
        alias,
      ).toBe(true);
    }
    expect(await stack.operator.listLedger({ limit: 10 })).toEqual(before);
    expect((await stack.operator.listHolds({})).holds).toEqual([]);
  });

  test("is tried at every kind of each route type", async () => {
    const { models } = await stack.operator.listModels({}, patient);
    for (const routeType of routeTypes) {
      const kinds = Object.entries(vendors).filter(([, kind]) =>
        routeTypesOf(kind).includes(routeType),
      );
      const tried = models
        .filter(({ alias, routeType: type }) => type === routeType && tested.includes(alias))
        .flatMap(({ slots }) => slots.slice(0, 1).map(({ kind }) => kind));
      const names = kinds.map(([name]) => name).sort();
      expect([routeType, ...[...new Set(tried)].sort()]).toEqual([routeType, ...names]);
    }
  });

  // Deepgram's model of speech is its voice, which has no commands of the simulator.
  const refusing = ofKinds.filter((alias) => alias !== "kind-deepgram-speech");

  test.each(refusing)("of %s shows the provider's own error", async (alias) => {
    const { result } = await stack.operator.testSlot(
      { test: { alias: `${alias}-invalid` } },
      patient,
    );
    expect(result).toMatchObject({ isServed: false, status: 400, outcome: "bad_request" });
    expect(result?.error).toBe("that is no good");
  });

  test("shows the provider's own error, and whether there was none", async () => {
    const refused = await stack.operator.testSlot({ test: { alias: "test-read-refused" } });
    expect(refused.result).toMatchObject({
      ...{ isServed: false, status: 400, error: "no thanks", outcome: "bad_request", usage: [] },
    });
    const nowhere = await stack.operator.testSlot({
      test: { unsaved: { text: draft("http://127.0.0.1:1/v1") }, alias: "drafted" },
    });
    expect(nowhere.result).toMatchObject({ isServed: false, status: 0, outcome: "unreachable" });
  });

  test("takes a draft with a key that is typed in, and shows the key nowhere", async () => {
    const apiKey = `sk-refused-${randomUUID()}`;
    const text = draft(`${stack.simulator.url}/v1`);
    const good = { text, apiKey: "sk-good" };
    const served = await stack.operator.testSlot({ test: { alias: "drafted", unsaved: good } });
    expect(served.result).toMatchObject({ isServed: true, slot: "drafted/sim-small" });
    expect(stack.simulator.calls.list().at(-1)?.authorized).toBe(true);
    const unsaved = { text, apiKey };
    const listed = await stack.operator.listProviderModels({ provider: "drafted", unsaved });
    expect(listed).toMatchObject({ models: [], status: 401 });
    expect(listed.error).toBe("Incorrect API key provided: Bearer [key].");
    const { records } = await stack.operator.listAudit({ limit: 20 });
    const own = records.filter(({ subjectId }) => subjectId.startsWith("drafted"));
    expect(own.map(({ action }) => action)).toContain("ListProviderModels");
    expect(own.map(({ action }) => action)).toContain("TestSlot");
    const written = own.map(({ before, after }) => before + after);
    expect(written.join()).not.toContain(apiKey);
  });

  test.each([
    ["at a private address", draft("http://10.1.2.3/v1"), "k", /base_url: is at a private address/],
    ["of no address", draft("http://metadata/v1"), "k", /base_url: is at a private address/],
    [
      "that would send a key of the gateway elsewhere",
      draft("https://elsewhere.example/v1", { api_key_env: "TEST_PROVIDER_KEY" }),
      "",
      /providers\.drafted: enter the key/,
    ],
    [
      "that would send a stored key elsewhere",
      draft("https://elsewhere.example/v1", { secret: "main" }),
      "",
      /providers\.drafted: enter the key/,
    ],
    [
      "that would send the gateway's identity elsewhere",
      draft("https://elsewhere.example/v1", {
        ...{ kind: "bedrock", region: "us-east-1", identity: "default" },
      }),
      "",
      /providers\.drafted: the identity of the gateway is sent only/,
    ],
    [
      "that would sign for another host than its cloud's",
      draft("https://bedrock.elsewhere.example", { kind: "bedrock", region: "us-east-1" }),
      "",
      /providers\.drafted: enter the key/,
    ],
    [
      "whose address is in a variable of the gateway",
      draft("", { base_url: undefined, base_url_env: "NATS_URL" }),
      "k",
      /base_url_env: is a variable that no provider/,
    ],
    ["that is not valid", "providers: 1", "k", /is not valid: providers/],
    ["with a key of two lines", draft("https://elsewhere.example/v1"), "a\nb", /api_key must have/],
  ])("refuses a draft %s", async (_, text, apiKey, message) => {
    const unsaved = { text, apiKey };
    const failure = stack.operator.testSlot({ test: { alias: "drafted", unsaved } });
    await expect(failure).rejects.toThrow(message);
    const listing = stack.operator.listProviderModels({ provider: "drafted", unsaved });
    await expect(listing).rejects.toThrow(message);
  });

  test("is a command, which fails where the slot does", async () => {
    const served = await tollgate(["provider", "test", "test-embed", "--json"]);
    expect(served.json()).toMatchObject({ is_served: true, status: 200, slot: "sim/embed" });
    const file = join(folder, "catalog.json");
    await writeFile(file, draft(`${stack.simulator.url}/v1`));
    const args = ["provider", "models", "drafted", "--draft", file, "--with-key", "--json"];
    const refused = await tollgate(args, "sk-refused\n");
    expect([refused.code, refused.json()]).toMatchObject([1, { status: 401, models: [] }]);
    const found = await tollgate(args, "sk-good\n");
    expect(found.json().models.map(({ id }: { id: string }) => id)).toEqual(
      [...listedModels].sort(),
    );
    expect((await tollgate(["provider", "test", "nothing"])).stderr).toContain("has no model");
  });
});

describe("the models of a provider", () => {
  const kinds = ["openai", "azure", "claude", "google", "mistral", "cohere", "elevenlabs"].concat([
    "xai",
    "bedrock_key",
  ]);

  test.each(kinds)("of %s are those that its key can see", async (provider) => {
    const { models, error } = await stack.operator.listProviderModels({ provider });
    expect(error).toBe("");
    expect(models.map(({ id }) => id)).toEqual([...listedModels].sort());
  });

  test("have the list prices of their vendor, where it has some", async () => {
    const { models } = await stack.operator.listProviderModels({ provider: "openai" });
    const priced = models.filter(({ listPrices }) => listPrices.length > 0);
    expect(priced.map(({ id }) => id)).toEqual(["gpt-4o", "gpt-4o-mini"]);
    expect(priced[1]?.listPrices).toContainEqual(
      expect.objectContaining({ dimension: "input", pricePicoUsd: 150_000_000_000n }),
    );
  });

  test("of Deepgram are those of speech and of transcription", async () => {
    const { models } = await stack.operator.listProviderModels({ provider: "deepgram" });
    expect(models.map(({ id }) => id)).toEqual(["aura-2", "nova-3"]);
  });

  test.each(["voyage", "jina"])("of %s are not listed by its API", async (provider) => {
    const found = await stack.operator.listProviderModels({ provider });
    expect(found.error).toBe(`The API of the kind ${provider} has no list of models.`);
  });
});

test("a stored key is set, listed and removed by commands", async () => {
  const name = `key-${randomUUID()}`;
  const set = await tollgate(["secret", "set", name, "--json"], "sk-0123456789abcdefghij\n");
  expect(set.json()).toMatchObject({ name, hint: "sk-…ghij", set_by: { kind: "local" } });
  const listed = await tollgate(["secret", "list"]);
  expect(listed.stdout).toContain(name);
  expect(listed.stdout).not.toContain("sk-0123456789abcdefghij");
  expect((await tollgate(["secret", "rekey", "--json"])).json()).toEqual({
    rewrapped: 0,
    rewrapped_contents: 0,
  });
  expect((await tollgate(["secret", "remove", name])).code).toBe(0);
  expect((await tollgate(["secret", "remove", name])).stderr).toContain("No secret is called");
});
