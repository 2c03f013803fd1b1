import { claudeMessage } from "../anthropic-events.ts";
import type { Exchange } from "../exchange.ts";
import { pdfBase64, withPdf } from "../media-requests.ts";

/** https://docs.claude.com/en/docs/build-with-claude/pdf-support */
export const anthropicMediaParts: readonly Exchange[] = [
  {
    name: "a PDF is a document",
    catalog: { inputs: ["pdf"] },
    request: withPdf,
    sent: {
      messages: [
        {
          content: [
            { type: "text", text: "Read" },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: pdfBase64 },
            },
          ],
        },
      ],
    },
    reply: {
      body: claudeMessage([{ type: "text", text: "Hello." }], "end_turn", {
        input_tokens: 10,
        output_tokens: 5,
      }),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
