import { unitTypes } from "@tollgate/catalog/model";
import { routeTypes } from "@tollgate/catalog/route-types";
import { z } from "zod";
import { unixSeconds } from "../../openapi/response-fields.ts";

export const unitPriceSchema = z.object({
  currency: z.literal("USD"),
  unit_type: z.enum(unitTypes),
  per: z.int().describe("The number of units that the price is for."),
  price: z.number().describe("The price in US dollars."),
});

const perMillionTokens = z.number().describe("The price of a million tokens in US dollars.");
const perOneToken = z.string().describe("The price of a token in US dollars, as a decimal.");

export const tokenPriceSchema = z.object({
  currency: z.literal("USD"),
  unit_type: z.literal("tokens"),
  per: z.int(),
  input: perMillionTokens,
  output: perMillionTokens,
  cached_input: perMillionTokens.optional(),
  prompt: perOneToken,
  completion: perOneToken,
});

export const modelSchema = z
  .object({
    id: z.string().describe("The alias, for the `model` field of requests."),
    object: z.literal("model"),
    created: unixSeconds,
    owned_by: z.string(),
    route_type: z.enum(routeTypes).describe("The kind of route that serves the model."),
    context_tokens: z.int().nullable().describe("The context length, if the model has one."),
    context_length: z.int().nullable().optional().describe("Same as `context_tokens`."),
    supported_parameters: z
      .array(z.string())
      .optional()
      .describe("Chat models: the parameters that all of the model's providers can be sent."),
    pricing: z.union([tokenPriceSchema, unitPriceSchema]),
  })
  .meta({ id: "Model" });

export const modelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(modelSchema),
});
