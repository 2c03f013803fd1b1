import { describe, expect, test } from "vitest";
import { readDraft, withFields, withModel, without } from "./document.ts";

const text = `# Ours
providers:
  openai:
    base_url: https://api.openai.com/v1 # the public one
    secret: openai
models:
  - alias: small
    route_type: chat
    pricing: { input: "0.10", output: "0.40" }
    chain: [{ provider: openai, model: gpt-small }]
`;

describe("a draft", () => {
  test("has the entries of its text, and the lines of their fields", () => {
    const { providers, models, lineOf, broken } = readDraft(text);
    expect(broken).toBeUndefined();
    expect(providers.get("openai")).toEqual({
      base_url: "https://api.openai.com/v1",
      secret: "openai",
    });
    expect(models.map(({ alias }) => alias)).toEqual(["small"]);
    expect(lineOf(["providers", "openai", "secret"])).toBe(5);
    expect(lineOf(["models", 0])).toBe(7);
    expect(lineOf(["models", 0, "pricing", "input"])).toBe(9);
    expect(lineOf(["models", 0, "context_tokens"])).toBe(7);
    expect(lineOf(["plans"])).toBeUndefined();
  });

  test("that is no YAML has the line of each problem, and no entries", () => {
    const { broken, providers } = readDraft("a: 'b' c\nmodels: []\nplans: 'd' e\n");
    expect(broken?.map(({ line }) => line)).toEqual([1, 3]);
    expect(broken?.[0]?.message).not.toContain("line");
    expect(providers.size).toBe(0);
  });

  test("of another shape has no entries", () => {
    const { models, providers, broken } = readDraft("[1, 2]");
    expect([models.length, providers.size, broken]).toEqual([0, 0, undefined]);
  });
});

describe("a change", () => {
  test("leaves comments, and fields that stay equal, as they are written", () => {
    const path = ["providers", "openai"];
    const changed = withFields(text, path, {
      base_url: "https://api.openai.com/v1",
      secret: "second",
    });
    expect(changed).toBe(text.replace("secret: openai", "secret: second"));
    expect(withFields(text, path, { secret: undefined, api_key_env: "KEY" })).toBe(
      text.replace("secret: openai", "api_key_env: KEY"),
    );
  });

  test("of an empty text gives a catalog on lines of its own", () => {
    const provider = withFields("", ["providers", "openai"], { secret: "openai" });
    const model = { alias: "small", pricing: { input: "2.50" }, region: undefined };
    expect(withModel(provider, model)).toBe(`providers:
  openai:
    secret: openai
models:
  - alias: small
    pricing:
      input: "2.50"
`);
  });

  test("removes an entry", () => {
    expect(readDraft(without(text, ["models", 0])).models).toEqual([]);
    expect(readDraft(without(text, ["providers", "openai"])).providers.size).toBe(0);
  });
});
