import { z } from "zod";
import { requestId } from "../../openapi/response-fields.ts";
import { text } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";

const maxIds = 10_000;

export const settlementRequestSchema = z.strictObject({
  requestIds: z
    .unknown()
    .refine(
      (ids) => !(Array.isArray(ids) && ids.length > maxIds),
      `must hold at most ${maxIds} ids`,
    )
    .pipe(
      listOf(text, "must be an array of strings").meta({
        maxItems: maxIds,
        description: "The `x-request-id` values to look up.",
      }),
    ),
});

export const settlementSchema = z.object({
  requests: z
    .array(
      z.object({
        requestId,
        costNanoUsd: z.unknown().meta({
          type: "integer",
          minimum: 0,
          description: "The final cost in billionths of a US dollar.",
        }),
      }),
    )
    .nullable()
    .describe(
      "The requests that were found, in the order of `requestIds`; null if there are none.",
    ),
});
