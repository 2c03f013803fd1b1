import { type Price, parsePicoUsd } from "@tollgate/core/money";
import { describeIssue } from "@tollgate/core/schema-errors";
import { z } from "zod";
import { isAllowance, switches } from "./allowances.ts";
import { chatInputNames } from "./chat-inputs.ts";
import { ocrLanes, speechFormats, taxonomies } from "./model.ts";
import { isSetByGateway } from "./passed-members.ts";
import type { ProviderKinds } from "./provider-kind.ts";
import { providerSchema } from "./provider-schema.ts";
import type { RouteType } from "./route-types.ts";
import { balances, slotSharingFields } from "./slot-sharing.ts";

/** The schema of the catalog file. `parse.ts` converts a valid file to models. */

const price = z
  .string({ error: 'must be a price in quotes, for instance "0.15"' })
  .refine(
    (text) => parsePicoUsd(text) !== undefined,
    "must be a decimal in USD of at least 0, with at most 12 decimals",
  )
  .transform((text) => parsePicoUsd(text) ?? 0n);

const per = z.union([z.literal(1), z.literal(1_000), z.literal(1_000_000)], {
  error: "must be 1, 1000 or 1000000",
});

const tokens = z.int().min(1).max(100_000_000);

const tokenPrices = {
  input: price,
  cached_input: price.optional(),
  cache_write: price.optional(),
  cache_write_1h: price.optional(),
  audio_input: price.optional(),
  output: price,
  reasoning: price.optional(),
  audio_output: price.optional(),
};
const tier = z.strictObject({ above_input_tokens: tokens, ...tokenPrices });
const tokenFields = z.looseObject({
  per: per.default(1_000_000),
  ...tokenPrices,
  tiers: z.array(tier).min(1).max(16).optional(),
});

const toolName = /^tool:([a-z][a-z0-9_]{0,63})$/;

/** The price of a tool is that of one call, whatever `per` is. */
const tokenPricing = tokenFields
  .superRefine((entry, context) => {
    const others = Object.keys(entry).filter((name) => !(name in tokenFields.shape));
    for (const name of others) {
      if (!toolName.test(name)) {
        context.addIssue({ code: "unrecognized_keys", keys: [name], input: entry });
        continue;
      }
      const message = price.safeParse(entry[name]).error?.issues[0]?.message;
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
    for (const [index, { above_input_tokens }] of (entry.tiers ?? []).entries()) {
      const before = entry.tiers?.[index - 1];
      if (before === undefined || above_input_tokens > before.above_input_tokens) continue;
      const path = ["tiers", index, "above_input_tokens"];
      context.addIssue({
        code: "custom",
        path,
        message: "must be more than that of the tier before",
      });
    }
  })
  .transform((entry) => {
    const tools = new Map<string, Price>();
    for (const [name, text] of Object.entries(entry)) {
      const tool = toolName.exec(name)?.[1];
      if (tool !== undefined) tools.set(tool, { picoUsd: price.parse(text), per: 1n });
    }
    return { ...entry, tools };
  });

const inputPricing = z.strictObject({ per: per.default(1_000_000), input: price });
const unitPricing = z.strictObject({ per, price });

/** The tokens of a transcription: `input` is text. */
const audioTokenPricing = z
  .strictObject({
    per: per.default(1_000_000),
    input: price,
    audio_input: price.optional(),
    output: price,
  })
  .transform((entry): z.output<typeof tokenPricing> => ({ ...entry, tools: new Map() }));

/** By the second, or by the token. Its fields decide, so that an error names the one that is wrong. */
const transcriptionPricing = z.looseObject({}).transform((entry, context) => {
  const isByToken = "input" in entry || "output" in entry;
  const schema = isByToken ? audioTokenPricing : unitPricing;
  const parsed = schema.safeParse(entry, { error: describeIssue });
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
  return z.NEVER;
});

function slot<Pricing extends z.ZodType>(pricing: Pricing) {
  return z.strictObject({
    provider: z.string(),
    model: z.string().min(1).max(256),
    path: z.string().startsWith("/").optional(),
    jobs_path: z.string().startsWith("/").optional(),
    voices_path: z.string().startsWith("/").optional(),
    stream_url: z.url({ protocol: /^wss?$/, error: "must be a ws or wss URL" }).optional(),
    stream_path: z.string().startsWith("/").optional(),
    max_tokens_field: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
    input_type: z.string().min(1).max(64).optional(),
    ...slotSharingFields,
    pricing: pricing.optional(),
  });
}

function model<Type extends RouteType, Pricing extends z.ZodType>(
  routeType: Type,
  pricing: Pricing,
) {
  return z.strictObject({
    route_type: z.literal(routeType),
    alias: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/,
        "must be 1 to 128 letters, digits and . _ : / -, the first a letter or digit",
      ),
    visibility: z.enum(["public", "unlisted", "internal"]).default("public"),
    created: z.int().min(0).default(0),
    owned_by: z.string().min(1).max(128).default("tollgate"),
    pricing,
    chain: z.array(slot(pricing)).min(1).max(16),
    balance: z.enum(balances).optional(),
  });
}

const passedMember = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, "must be the name of a member of a chat request")
  .refine((name) => !isSetByGateway(name), "is a member that Tollgate defines: leave it out");

const allowance = z
  .string()
  .refine(isAllowance, `must be ${switches.join(", ")}, beta:NAME or member:NAME`);

const chat = model("chat", tokenPricing).extend({
  context_tokens: tokens,
  fallback_on: z.array(z.literal("context_length")).max(1).default([]),
  max_output_tokens: tokens,
  vision: z.boolean().default(false),
  inputs: z.array(z.enum(chatInputNames)).max(chatInputNames.length).optional(),
  image_tokens: tokens.optional(),
  page_tokens: tokens.optional(),
  audio_tokens_per_second: tokens.optional(),
  reasoning: z.enum(["hidden", "shown"]).optional(),
  passes: z.array(passedMember).max(64).default([]),
  allows: z.array(allowance).max(64).default([]),
});
const embeddings = model("embeddings", inputPricing).extend({
  context_tokens: tokens.optional(),
  token_input: z.boolean().default(false),
});
const speech = model("speech", unitPricing).extend({
  max_characters: z.int().min(1).max(1_000_000),
  response_formats: z.array(z.enum(speechFormats)).min(1).optional(),
});
/** How usage that no provider reports is counted, where it is not by the kind of the provider. */
const unreported = z.literal("measured").optional();
const transcriptions = model("transcriptions", transcriptionPricing).extend({
  language: z.enum(["required", "auto"]),
  unreported,
  audio_tokens_per_second: tokens.optional(),
});
/** More than a month: a provider deletes results sooner. */
const maxJobHoldHours = 1_000;

const ocr = model("ocr", unitPricing).extend({
  lane: z.enum(ocrLanes),
  unreported,
  job_hold_hours: z.number().positive().max(maxJobHoldHours).default(24),
});
const classification = model("classification", unitPricing).extend({
  lane: z.enum(["taxonomy", "entities"]),
  /** The taxonomies that an alias of the taxonomy lane supports; all by default. */
  taxonomies: z.array(z.enum(taxonomies)).min(1).optional(),
});

const imageSize = z
  .string()
  .regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/, "must be WIDTHxHEIGHT, such as 1024x1024");
const images = model("images", unitPricing).extend({
  sizes: z.union([z.array(imageSize).min(1).max(64), z.record(imageSize, price)]).optional(),
});

const providerName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);
const models = z.array(
  z.discriminatedUnion("route_type", [
    chat,
    embeddings,
    speech,
    transcriptions,
    model("rerank", unitPricing),
    ocr,
    classification,
    images,
  ]),
);
const limits = z
  .strictObject({
    requests_per_minute: z.int().min(1).default(10_000),
    tokens_per_minute: z.int().min(1).default(10_000_000),
  })
  .prefault({});

/** Returns the schema of a catalog file whose providers are of these kinds. */
export function catalogFileSchema(kinds: ProviderKinds) {
  return z.strictObject({
    providers: z.record(providerName, providerSchema(kinds), {
      error: ({ code }) =>
        code === "invalid_key"
          ? "must be named by 1 to 64 lower-case letters, digits, _ and -"
          : undefined,
    }),
    models,
    limits,
  });
}

export type CatalogFile = z.output<ReturnType<typeof catalogFileSchema>>;
export type ProviderEntry = CatalogFile["providers"][string];
export type ModelEntry = CatalogFile["models"][number];
export type TierEntry = z.output<typeof tier>;
export type TokenPricingEntry = z.output<typeof tokenPricing>;
export type PricingEntry = ModelEntry["pricing"];
