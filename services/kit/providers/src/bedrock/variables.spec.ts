import { parseCatalog } from "@tollgate/catalog/parse";
import { requireVariables } from "@tollgate/upstream/provider-variables";
import { expect, test } from "vitest";
import { vendors } from "../index.ts";

function catalogOf(more: object) {
  const providers = { aws: { kind: "bedrock", region: "us-east-1", ...more } };
  const chat = { route_type: "chat", context_tokens: 10, max_output_tokens: 5 };
  const chain = [{ provider: "aws", model: "amazon.nova-pro-v1:0" }];
  const pricing = { input: "1", cache_write_1h: "1", output: "1" };
  const models = [{ alias: "a", ...chat, pricing, chain }];
  return parseCatalog(JSON.stringify({ providers, models }), vendors);
}

const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };

test.each([
  ["a key for Bedrock", {}, { AWS_BEARER_TOKEN_BEDROCK: "c" }],
  ["an access key", {}, keys],
  ["the variable that the provider names", { api_key_env: "KEY" }, { KEY: "c" }],
  ["no variable, where the process has an identity", {}, {}],
  [
    "no variable, where its entry has an identity",
    { identity: "default" },
    { AWS_ACCESS_KEY_ID: "a" },
  ],
])("a provider of the kind bedrock needs %s", (_, more, env) => {
  expect(() => requireVariables(catalogOf(more), env)).not.toThrow();
});

test.each([
  [{ AWS_ACCESS_KEY_ID: "a" }, "AWS_SECRET_ACCESS_KEY is not set, nor is AWS_BEARER_TOKEN_BEDROCK"],
  [{ ...keys, AWS_ACCESS_KEY_ID: "" }, "AWS_ACCESS_KEY_ID is not set"],
])("half of an access key is no identity: a missing AWS variable is named, of %j", (env, problem) => {
  expect(() => requireVariables(catalogOf({}), env)).toThrow(
    `providers.aws: the environment variable ${problem}`,
  );
});

test("the variable that the provider names is named", () => {
  expect(() => requireVariables(catalogOf({ api_key_env: "KEY" }), keys)).toThrow(
    "providers.aws.api_key_env: the environment variable KEY is not set",
  );
});
