import { converseResponse } from "../bedrock-frames.ts";
import type { Exchange } from "../exchange.ts";
import { pdfBase64, withPdf } from "../media-requests.ts";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
export const bedrockMediaParts: readonly Exchange[] = [
  {
    name: "a PDF is a document",
    catalog: { inputs: ["pdf"] },
    request: withPdf,
    sent: {
      messages: [
        {
          content: [
            { text: "Read" },
            { document: { format: "pdf", source: { bytes: pdfBase64 } } },
          ],
        },
      ],
    },
    reply: {
      body: converseResponse([{ text: "Hello." }], "end_turn", {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
      }),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
