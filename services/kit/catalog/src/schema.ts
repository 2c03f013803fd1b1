import { z } from "zod";
import { isAllowance, switches } from "./allowances.ts";
import { chatInputNames } from "./chat-inputs.ts";
import { ocrLanes, speechFormats, taxonomies } from "./model.ts";
import { isSetByGateway } from "./passed-members.ts";
import { plansSchema } from "./plans/plan-schema.ts";
import {
  inputPricing,
  tokenPricing,
  tokenCount as tokens,
  transcriptionPricing,
  unitPricing,
  usdPrice,
} from "./price-schema.ts";
import type { ProviderKinds } from "./provider-kind.ts";
import { providerSchema } from "./provider-schema.ts";
import type { RouteType } from "./route-types.ts";
import { balances, slotSharingFields } from "./slot-sharing.ts";

/** The schema of the catalog file. `parse.ts` converts a valid file to models. */

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
    cost: pricing.optional(),
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
  sizes: z.union([z.array(imageSize).min(1).max(64), z.record(imageSize, usdPrice)]).optional(),
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
    plans: plansSchema,
    limits,
  });
}

export type CatalogFile = z.output<ReturnType<typeof catalogFileSchema>>;
export type ProviderEntry = CatalogFile["providers"][string];
export type ModelEntry = CatalogFile["models"][number];
