import { z } from "zod";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html */
export const bedrockRerankRequest = z.strictObject({
  queries: z
    .array(
      z.strictObject({
        type: z.literal("TEXT"),
        textQuery: z.strictObject({ text: z.string().min(1) }),
      }),
    )
    .length(1),
  sources: z
    .array(
      z.strictObject({
        type: z.literal("INLINE"),
        inlineDocumentSource: z.strictObject({
          type: z.literal("TEXT"),
          textDocument: z.strictObject({ text: z.string().min(1) }),
        }),
      }),
    )
    .min(1)
    .max(1_000),
  rerankingConfiguration: z.strictObject({
    type: z.literal("BEDROCK_RERANKING_MODEL"),
    bedrockRerankingConfiguration: z.strictObject({
      modelConfiguration: z.strictObject({
        modelArn: z.string().regex(/^arn:aws[a-z-]*:bedrock:[a-z0-9-]+::foundation-model\/.+$/),
      }),
      numberOfResults: z.int().min(1).max(1_000).optional(),
    }),
  }),
});
