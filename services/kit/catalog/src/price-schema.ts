import { type Price, parsePicoUsd } from "@tollgate/core/money";
import { describeIssue } from "@tollgate/core/schema-errors";
import { z } from "zod";
import type { RouteType } from "./route-types.ts";

/** A price in USD, which is parsed to pico-USD. */
export const usdPrice = z
  .string({ error: 'must be a price in quotes, for instance "0.15"' })
  .refine(
    (text) => parsePicoUsd(text) !== undefined,
    "must be a decimal in USD of at least 0, with at most 12 decimals",
  )
  .transform((text) => parsePicoUsd(text) ?? 0n);

const per = z.union([z.literal(1), z.literal(1_000), z.literal(1_000_000)], {
  error: "must be 1, 1000 or 1000000",
});

/** A number of tokens. */
export const tokenCount = z.int().min(1).max(100_000_000);

const tokenPrices = {
  input: usdPrice,
  cached_input: usdPrice.optional(),
  cache_write: usdPrice.optional(),
  cache_write_1h: usdPrice.optional(),
  audio_input: usdPrice.optional(),
  output: usdPrice,
  reasoning: usdPrice.optional(),
  audio_output: usdPrice.optional(),
};
const tier = z.strictObject({ above_input_tokens: tokenCount, ...tokenPrices });
const tokenFields = z.looseObject({
  per: per.default(1_000_000),
  ...tokenPrices,
  tiers: z.array(tier).min(1).max(16).optional(),
});

const toolName = /^tool:([a-z][a-z0-9_]{0,63})$/;

/** The prices of chat. The price of a tool is that of one call, whatever `per` is. */
export const tokenPricing = tokenFields
  .superRefine((entry, context) => {
    const others = Object.keys(entry).filter((name) => !(name in tokenFields.shape));
    for (const name of others) {
      if (!toolName.test(name)) {
        context.addIssue({ code: "unrecognized_keys", keys: [name], input: entry });
        continue;
      }
      const message = usdPrice.safeParse(entry[name]).error?.issues[0]?.message;
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
      if (tool !== undefined) tools.set(tool, { picoUsd: usdPrice.parse(text), per: 1n });
    }
    return { ...entry, tools };
  });

/** The price of embeddings. */
export const inputPricing = z.strictObject({ per: per.default(1_000_000), input: usdPrice });
/** The price of a route that bills one unit. */
export const unitPricing = z.strictObject({ per, price: usdPrice });

/** The tokens of a transcription: `input` is text. */
const audioTokenPricing = z
  .strictObject({
    per: per.default(1_000_000),
    input: usdPrice,
    audio_input: usdPrice.optional(),
    output: usdPrice,
  })
  .transform((entry): z.output<typeof tokenPricing> => ({ ...entry, tools: new Map() }));

/**
 * The prices of transcriptions, by the second or by the token. Their fields decide, so that an error
 * names the one that is wrong.
 */
export const transcriptionPricing = z.looseObject({}).transform((entry, context) => {
  const isByToken = "input" in entry || "output" in entry;
  const schema = isByToken ? audioTokenPricing : unitPricing;
  const parsed = schema.safeParse(entry, { error: describeIssue });
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
  return z.NEVER;
});

/** The prices of the models of each route type. */
export const pricingSchemas = {
  chat: tokenPricing,
  embeddings: inputPricing,
  speech: unitPricing,
  transcriptions: transcriptionPricing,
  rerank: unitPricing,
  ocr: unitPricing,
  classification: unitPricing,
  images: unitPricing,
} as const satisfies Record<RouteType, z.ZodType>;

/** Returns whether prices are those of tokens with an output, as of chat and some transcriptions. */
export function isByToken(pricing: PricingEntry): boolean {
  return "output" in pricing;
}

export type TierEntry = z.output<typeof tier>;
export type TokenPricingEntry = z.output<typeof tokenPricing>;
export type PricingEntry = z.output<(typeof pricingSchemas)[RouteType]>;
