import { z } from "zod";

/** Members of the configuration are numbers, or texts of numbers. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)?(e[+-]?\d+)?$/i)
    .transform(Number),
]);

const costs = {
  input_cost_per_token: number.optional(),
  output_cost_per_token: number.optional(),
  cache_read_input_token_cost: number.optional(),
  cache_creation_input_token_cost: number.optional(),
  output_cost_per_image: number.optional(),
  input_cost_per_second: number.optional(),
  input_cost_per_character: number.optional(),
  input_cost_per_query: number.optional(),
};

const deployment = z.object({
  model_name: z.string(),
  litellm_params: z.looseObject({
    model: z.string(),
    api_base: z.string().optional(),
    api_key: z.string().optional(),
    aws_region_name: z.string().optional(),
    max_tokens: number.optional(),
    rpm: number.optional(),
    tpm: number.optional(),
    weight: number.optional(),
    max_retries: number.optional(),
    ...costs,
  }),
  model_info: z
    .looseObject({
      mode: z.string().optional(),
      max_tokens: number.optional(),
      max_input_tokens: number.optional(),
      max_output_tokens: number.optional(),
      supports_vision: z.boolean().optional(),
      ...costs,
    })
    .default({}),
});

/** A list of objects that name what stands in for what: `[{ "gpt-4": ["claude"] }]`. */
const fallbacks = z.array(z.record(z.string(), z.array(z.string()))).optional();

const routing = {
  fallbacks,
  context_window_fallbacks: fallbacks,
  num_retries: number.optional(),
};

export const liteLlmConfig = z.looseObject({
  model_list: z.array(deployment).default([]),
  litellm_settings: z.looseObject(routing).default({}),
  router_settings: z
    .looseObject({ ...routing, model_group_alias: z.record(z.string(), z.unknown()).optional() })
    .default({}),
  general_settings: z.looseObject({}).default({}),
});

export type LiteLlmConfig = z.infer<typeof liteLlmConfig>;
export type Deployment = z.infer<typeof deployment>;

/** The response of `GET /key/list?return_full_object=true`. */
export const liteLlmKeys = z.looseObject({
  keys: z.array(
    z.looseObject({
      key_alias: z.string().nullish(),
      team_alias: z.string().nullish(),
      team_id: z.string().nullish(),
      user_id: z.string().nullish(),
      models: z.array(z.string()).nullish(),
      max_budget: z.number().nullish(),
      budget_duration: z.string().nullish(),
      rpm_limit: z.number().nullish(),
      tpm_limit: z.number().nullish(),
      max_parallel_requests: z.number().nullish(),
      expires: z.string().nullish(),
      blocked: z.boolean().nullish(),
    }),
  ),
});

export type LiteLlmKey = z.infer<typeof liteLlmKeys>["keys"][number];
