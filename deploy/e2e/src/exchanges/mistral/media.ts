import { completion } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { pdfBase64, withPdf } from "../media-requests.ts";

/** https://docs.mistral.ai/capabilities/document_ai/document_qna */
export const mistralMediaParts: readonly Exchange[] = [
  {
    name: "a PDF is the address of a document",
    catalog: { inputs: ["pdf"] },
    request: withPdf,
    sent: {
      messages: [
        {
          content: [
            { type: "text", text: "Read" },
            {
              type: "document_url",
              document_url: `data:application/pdf;base64,${pdfBase64}`,
            },
          ],
        },
      ],
    },
    reply: { body: completion({ content: "Hello." }) },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
