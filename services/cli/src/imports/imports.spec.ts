import { parseCatalog, toCheckedCatalog } from "@tollgate/catalog/parse";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { vendors } from "@tollgate/providers";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { importedLines } from "./catalog-draft.ts";
import { importLiteLlm } from "./litellm.ts";
import { liteLlmConfig, liteLlmKeys } from "./litellm-config.ts";
import { importNewApi } from "./new-api.ts";
import { newApiExport } from "./new-api-export.ts";

const prices = await loadListPrices(new Date("2026-10-01"));
const secret = "sk-proj-never-copied";

/** As the documentation of LiteLLM's proxy has them, in October 2026. */
const liteLlm = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/my-gpt-4o
      api_base: https://acme.openai.azure.com/
      api_key: os.environ/AZURE_API_KEY
      api_version: "2024-08-01-preview"
      rpm: 900
      weight: 3
    model_info:
      input_cost_per_token: 0.0000025
      output_cost_per_token: 1e-05
      max_input_tokens: 128000
      max_output_tokens: 16384
      supports_vision: true
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: ${secret}
      tpm: 100000
      extra_headers: { "X-Team": "red" }
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: os.environ/ANTHROPIC_API_KEY }
  - model_name: local
    litellm_params: { model: ollama_chat/llama3.1, api_base: "http://gpu:11434/v1" }
    model_info: { input_cost_per_token: 0, output_cost_per_token: 0 }
  - model_name: text-embedding-3-small
    litellm_params: { model: text-embedding-3-small }
  - model_name: painter
    litellm_params: { model: openai/dall-e-3 }
    model_info: { mode: image_generation, output_cost_per_image: 0.04 }
  - model_name: unpriced
    litellm_params: { model: hosted_vllm/qwen, api_base: "http://gpu:8000/v1" }
  - model_name: "openai/*"
    litellm_params: { model: "openai/*" }
  - model_name: watson
    litellm_params: { model: watsonx/granite }
litellm_settings:
  drop_params: true
  num_retries: 2
  fallbacks: [{ "gpt-4o": ["claude"] }]
router_settings:
  routing_strategy: least-busy
  model_group_alias: { "gpt-4": "gpt-4o" }
general_settings: { master_key: ${secret}, database_url: "postgresql://…" }
`;

describe("a configuration of LiteLLM", () => {
  const keys = liteLlmKeys.parse({
    keys: [
      {
        token: "hash",
        key_alias: "jane's laptop",
        team_alias: "red team",
        models: ["gpt-4o"],
        max_budget: 12.5,
        budget_duration: "30d",
        rpm_limit: 60,
        metadata: { cost_center: 7 },
      },
      { key_alias: "gone", blocked: true },
    ],
  });
  const imported = importLiteLlm(liteLlmConfig.parse(parse(liteLlm)), keys.keys, prices);
  const catalog = toCheckedCatalog(imported.catalog, vendors);
  const lines = importedLines(imported);

  test("is a valid catalog with the same models, also as the file that is printed", () => {
    const names = ["gpt-4o", "claude", "local", "text-embedding-3-small", "painter", "gpt-4"];
    expect([...catalog.models.keys()]).toEqual(names);
    expect([...parseCatalog(lines.join("\n"), vendors).models.keys()]).toEqual(names);
  });

  test("shares the requests of a model between its deployments, before the fallbacks", () => {
    const model = imported.catalog.models[0] as Record<string, unknown>;
    expect(model).toMatchObject({
      context_tokens: 128_000,
      max_output_tokens: 16_384,
      vision: true,
      pricing: { input: "2.5", output: "10" },
    });
    expect(model.chain).toEqual([
      {
        provider: "azure",
        model: "my-gpt-4o",
        requests_per_minute: 900,
        retries: 2,
        tier: 1,
        weight: 3,
      },
      { provider: "openai", model: "gpt-4o", tokens_per_minute: 100_000, retries: 2, tier: 1 },
      expect.objectContaining({
        provider: "anthropic",
        pricing: expect.objectContaining({ input: "3.00" }),
        tier: 2,
      }),
    ]);
    expect(imported.catalog.providers).toMatchObject({
      azure: { kind: "azure", base_url: "https://acme.openai.azure.com/openai/v1" },
      anthropic: { kind: "anthropic", api_key_env: "ANTHROPIC_API_KEY" },
    });
  });

  test("has list prices where it sets none", () => {
    expect(imported.catalog.models[1]).toMatchObject({
      pricing: { input: "3.00", output: "15.00" },
    });
    expect(imported.catalog.models[4]).toMatchObject({ pricing: { per: 1, price: "0.04" } });
  });

  test("names what is not carried over, and copies no secret", () => {
    const notes = imported.notes.join("\n");
    for (const name of [
      "gpt-4o: litellm_params extra_headers",
      "gpt-4o: its api_key is not copied; put it into OPENAI_API_KEY",
      "unpriced: has no price",
      "openai/*: a wildcard",
      "watson: the provider watsonx",
      "litellm_settings: drop_params",
      "routing_strategy least-busy",
      "general_settings: master_key, database_url",
      "key jane's laptop: metadata",
      "key gone: is blocked",
    ]) {
      expect(notes).toContain(name);
    }
    expect(JSON.stringify(imported)).not.toContain(secret);
  });

  test("creates accounts and keys with their limits", () => {
    expect(imported.commands).toEqual([
      "tollgate account create 'red team'",
      "tollgate key create 'red team' --name 'jane'\\''s laptop' --budget 12.5/month --rpm 60 --models gpt-4o",
    ]);
  });
});

describe("an export of new-api", () => {
  const exported = newApiExport.parse({
    channels: {
      success: true,
      data: {
        items: [
          {
            name: "OpenAI main",
            type: 1,
            key: secret,
            models: "gpt-4o,gpt-4o-mini, unknown-model",
            priority: 10,
            weight: 3,
          },
          {
            name: "Azure EU",
            type: 3,
            base_url: "https://eu.openai.azure.com",
            models: "gpt-4o",
            model_mapping: '{"gpt-4o":"eu-gpt-4o"}',
            priority: 10,
            weight: 1,
          },
          {
            name: "Proxy",
            type: 8,
            base_url: "https://proxy.example/v1",
            models: "gpt-4o",
            priority: 0,
          },
          { name: "Claude", type: 14, models: "claude-sonnet-4-5", group: "vip" },
          { name: "Songs", type: 36, models: "suno" },
          { name: "Off", type: 1, status: 2, models: "gpt-4" },
        ],
      },
    },
    tokens: [
      {
        name: "app",
        user_id: 7,
        key: secret,
        remain_quota: 1_250_000,
        expired_time: 1_790_000_000,
      },
      {
        name: "all",
        unlimited_quota: true,
        model_limits_enabled: true,
        model_limits: "gpt-4o,claude-sonnet-4-5",
        allow_ips: "10.0.0.1",
      },
    ],
    options: [
      { key: "ModelRatio", value: '{"gpt-4o":1.25,"claude-sonnet-4-5":1.5}' },
      { key: "CompletionRatio", value: '{"gpt-4o":4,"claude-sonnet-4-5":5}' },
      { key: "CacheRatio", value: '{"gpt-4o":0.5}' },
      { key: "QuotaPerUnit", value: "500000" },
      { key: "GroupRatio", value: '{"vip":0.8}' },
      { key: "SystemName", value: "Mine" },
    ],
  });
  const imported = importNewApi(exported, prices);

  test("is a valid catalog, with the prices of its ratios", () => {
    const catalog = toCheckedCatalog(imported.catalog, vendors);
    expect([...catalog.models.keys()]).toEqual(["gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5"]);
    expect(imported.catalog.models[0]).toMatchObject({
      pricing: { input: "2.5", cached_input: "1.25", output: "10" },
    });
    expect(imported.catalog.models[1]).toMatchObject({ pricing: { input: "0.15" } });
    expect(imported.catalog.models[2]).toMatchObject({
      pricing: { input: "3", cache_write_1h: "6", output: "15" },
    });
  });

  test("tries channels by priority, and shares by weight", () => {
    expect(imported.catalog.models[0]).toMatchObject({
      chain: [
        { provider: "openai-main", model: "gpt-4o", tier: 1, weight: 3 },
        { provider: "azure-eu", model: "eu-gpt-4o", tier: 1, weight: 1 },
        { provider: "proxy", model: "gpt-4o", tier: 2 },
      ],
    });
  });

  test("names what is not carried over, and copies no secret", () => {
    const notes = imported.notes.join("\n");
    for (const name of [
      "unknown-model: has no ModelRatio",
      "channel Songs: is of type 36",
      "channel Off: is disabled",
      "channel Claude: group vip",
      "channel OpenAI main: its key is not copied; put it into OPENAI_MAIN_KEY",
      "option GroupRatio",
      "token all: allow_ips",
    ]) {
      expect(notes).toContain(name);
    }
    expect(notes).not.toContain("SystemName");
    expect(JSON.stringify(imported)).not.toContain(secret);
  });

  test("creates keys with what is left of their quota", () => {
    expect(imported.commands).toEqual([
      "tollgate account create user-7",
      "tollgate account create new-api",
      "tollgate key create user-7 --name app --budget 2.5/total --expires 2026-09-21T14:13:20.000Z",
      "tollgate key create new-api --name all --models gpt-4o,claude-sonnet-4-5",
    ]);
  });
});
