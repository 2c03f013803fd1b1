import { readFile } from "node:fs/promises";
import type { Model } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { commonParameters, routeTypesOf } from "@tollgate/catalog/provider-kind";
import { routeTypes } from "@tollgate/catalog/route-types";
import { expect, test } from "vitest";
import { slotAtAddress } from "../test/provider-of-kind.ts";
import { checkChat } from "./chat.ts";
import { vendors } from "./index.ts";

const page = new URL("../../../../docs/providers.md", import.meta.url);

test("the documentation says which route types each kind serves", async () => {
  const head = `| kind | ${routeTypes.map((type) => `\`${type}\``).join(" | ")} |`;
  const rows = Object.values(vendors).map((kind) => {
    const served = routeTypesOf(kind);
    const cells = routeTypes.map((type) => (served.includes(type) ? "yes" : "no"));
    return `| \`${kind.name}\` | ${cells.join(" | ")} |`;
  });
  const rule = `| --- |${" --- |".repeat(routeTypes.length)}`;
  expect(await readFile(page, "utf8")).toContain([head, rule, ...rows].join("\n"));
});

/** Returns the cells of a table row, without the code marks. */
function cellsOf(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Returns the names in code format in a text. */
function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/`(\w+)[^`]*`/g), ([, name = ""]) => name);
}

test("the documentation says which members of a chat request each kind supports", async () => {
  const text = await readFile(page, "utf8");
  const [rows = ""] = /(?<=^\| member \|)(?:.*\n)(?:\|.*\n)+/m.exec(text) ?? [];
  const [head = "", , ...body] = `| member |${rows}`.trim().split("\n");
  const columns = cellsOf(head).slice(1).map(namesIn);
  const documented = body.flatMap((row) => {
    const [members = "", ...cells] = cellsOf(row);
    return cells.flatMap((cell, column) =>
      cell === "no"
        ? []
        : (columns[column] ?? []).flatMap((kind) =>
            namesIn(members).map((member) => `${kind} ${member}`),
          ),
    );
  });
  const kinds = Object.values(vendors).filter(({ chat }) => chat !== undefined);
  const inAll = namesIn(/All kinds support ((?:.|\n)*?)\. The others:/.exec(text)?.[1] ?? "");
  const expected = kinds.flatMap(({ name, chatParameters }) =>
    [...chatParameters].map((member) => `${name} ${member}`),
  );
  const ofAll = kinds.flatMap(({ name }) => inAll.map((member) => `${name} ${member}`));
  expect([...documented, ...ofAll].sort()).toEqual(expected.sort());
});

const price = { input: "3", cache_write_1h: "6", output: "15" };
const chat = { route_type: "chat", context_tokens: 10, max_output_tokens: 5, pricing: price };

function parse(models: object[]) {
  const providers = {
    claude: { kind: "anthropic", api_key_env: "KEY" },
    gpt: { base_url: "http://gpt" },
  };
  return parseCatalog(JSON.stringify({ providers, models }), vendors);
}

test("a provider of the kind anthropic needs no address", () => {
  const chain = [{ provider: "claude", model: "claude-sonnet-4-5" }];
  const slot = parse([{ alias: "a", ...chat, chain }]).models.get("a")?.chain[0];
  expect(slot).toMatchObject({
    path: "/messages",
    provider: { kind: { name: "anthropic" }, baseUrl: "https://api.anthropic.com/v1" },
  });
});

test("the path of a slot of the kind google has its model", () => {
  const providers = { gemini: { kind: "google" } };
  const chain = [
    { provider: "gemini", model: "gemini-2.5-flash" },
    { provider: "gemini", model: "a/b", path: "/tunedModels/b:generateContent" },
    { provider: "gemini", model: "a b" },
  ];
  const { models } = parseCatalog(
    JSON.stringify({ providers, models: [{ alias: "a", ...chat, chain }] }),
    vendors,
  );
  const slots = models.get("a")?.chain ?? [];
  expect(slots.map(({ path }) => path)).toEqual([
    "/models/gemini-2.5-flash:generateContent",
    "/tunedModels/b:generateContent",
    "/models/a%20b:generateContent",
  ]);
  const baseUrl = "https://generativelanguage.googleapis.com/v1beta";
  expect(slots[0]?.provider).toMatchObject({ kind: { name: "google" }, baseUrl });
});

test("a provider of the kind bedrock has the address of its region", () => {
  const chain = [{ provider: "aws", model: "anthropic.claude-sonnet-4-5-20250929-v1:0" }];
  const slotIn = (region: string) => {
    const providers = { aws: { kind: "bedrock", region } };
    const models = [{ alias: "a", ...chat, chain }];
    return parseCatalog(JSON.stringify({ providers, models }), vendors).models.get("a")?.chain[0];
  };
  expect(slotIn("eu-central-1")).toMatchObject({
    path: "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    provider: { baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com" },
  });
  expect(slotIn("cn-north-1")).toMatchObject({
    provider: { baseUrl: "https://bedrock-runtime.cn-north-1.amazonaws.com.cn" },
  });
  const ranker = { alias: "r", route_type: "rerank", pricing: { per: 1, price: "0.002" } };
  const rerankAt = (more: object) => {
    const providers = { aws: { kind: "bedrock", region: "us-west-2", ...more } };
    const models = [{ ...ranker, chain: [{ provider: "aws", model: "amazon.rerank-v1:0" }] }];
    return parseCatalog(JSON.stringify({ providers, models }), vendors).models.get("r")?.chain[0]
      ?.provider;
  };
  expect(rerankAt({})?.baseUrl).toBe("https://bedrock-agent-runtime.us-west-2.amazonaws.com");
  expect(rerankAt({ base_url: "http://own" })?.baseUrl).toBe("http://own");
  expect(() => slotIn("Virginia")).toThrow(
    "providers.aws.region: must be the name of an AWS region, such as us-east-1",
  );
});

test.each([
  [{ kind: "bedrock" }, "must be set for a provider of the kind bedrock"],
  [
    { kind: "anthropic", region: "us-east-1" },
    "must not be set: only providers of the kinds vertex and bedrock are in regions",
  ],
])("a region is for the kinds of clouds: %j", (provider, problem) => {
  const file = { providers: { p: provider }, models: [] };
  expect(() => parseCatalog(JSON.stringify(file), vendors)).toThrow(
    `providers.p.region: ${problem}`,
  );
});

test("a slot whose provider's kind does not serve the route type is refused by its path", () => {
  const chain = [
    { provider: "gpt", model: "embed" },
    { provider: "claude", model: "embed" },
  ];
  const model = { alias: "a", route_type: "embeddings", pricing: { input: "1" }, chain };
  expect(() => parse([model])).toThrow(
    'models[0] (a).chain[1].provider: must be of a kind that serves embeddings, and "claude" is of ' +
      "the kind anthropic, which serves chat",
  );
});

test("token ids are refused for a model whose provider takes text only", () => {
  const providers = { voyage: { kind: "voyage" } };
  const chain = [{ provider: "voyage", model: "voyage-3.5" }];
  const embedder = { alias: "a", route_type: "embeddings", pricing: { input: "1" }, chain };
  const parsed = (model: object) =>
    parseCatalog(JSON.stringify({ providers, models: [model] }), vendors);
  expect(parsed(embedder).models.get("a")?.chain[0]?.path).toBe("/embeddings");
  expect(() => parsed({ ...embedder, token_input: true })).toThrow(
    'models[0] (a).token_input: must not be set, since "voyage" is of the kind voyage, which takes ' +
      "text only",
  );
});

test("a model supports the parameters that all slots of its chain do", () => {
  const gpt = { provider: "gpt", model: "gpt" };
  const claude = { provider: "claude", model: "claude" };
  const { models } = parse([
    { alias: "gpt", ...chat, chain: [gpt] },
    { alias: "mixed", ...chat, chain: [gpt, claude] },
  ]);
  const taken = (model: Model) =>
    commonParameters(model.chain.map(({ provider }) => provider.kind));
  const ofGpt = taken(models.get("gpt") as Model);
  const ofMixed = taken(models.get("mixed") as Model);
  expect(ofGpt).toEqual(expect.arrayContaining(["seed", "logit_bias", "tools"]));
  expect(ofMixed).toContain("tools");
  expect(ofMixed).not.toContain("seed");
  expect(ofGpt).toEqual(expect.arrayContaining([...ofMixed]));
});

test.each([
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_CLIENT_SECRET",
])("%s is not a provider's key", (variable) => {
  const file = { providers: { p: { kind: "jina", api_key_env: variable } }, models: [] };
  expect(() => parseCatalog(JSON.stringify(file), vendors)).toThrow(
    /^providers\.p\.api_key_env: must not be a variable of the gateway or of A(WS|zure)/,
  );
});

test("AWS_BEARER_TOKEN_BEDROCK may be a provider's key", () => {
  const variable = "AWS_BEARER_TOKEN_BEDROCK";
  const file = { providers: { p: { kind: "jina", api_key_env: variable } }, models: [] };
  expect(() => parseCatalog(JSON.stringify(file), vendors)).not.toThrow();
});

test("a kind of chat takes members of passes where it says so, and refuses them by name elsewhere", async () => {
  const kinds = Object.values(vendors).filter(({ chat }) => chat !== undefined);
  const takes = kinds.map(async (vendor) => {
    const chain = [slotAtAddress(vendor, "m", "https://provider.test/v1")];
    const model: Pick<Model, "chain"> = { chain };
    const messages = [{ role: "user", content: "Hi" }];
    const request = { model: "a", messages, max_tokens: 9, vendors_own: true };
    try {
      await checkChat(model, () => request);
      return [vendor.name, true];
    } catch (error) {
      expect(error).toMatchObject({ code: "unknown_param", param: "vendors_own" });
      return [vendor.name, false];
    }
  });
  const said = kinds.map(({ name, takesOtherMembers }) => [name, takesOtherMembers]);
  expect(await Promise.all(takes)).toEqual(said);
});
