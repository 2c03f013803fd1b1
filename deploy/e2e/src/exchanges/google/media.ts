import type { Exchange } from "../exchange.ts";
import { pdfBase64, takesMedia, withAudio, withPdf } from "../media-requests.ts";

function responseOf(...details: { modality: string; tokenCount: number }[]): object {
  const promptTokenCount = details.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const content = { role: "model", parts: [{ text: "Hello." }] };
  return {
    candidates: [{ index: 0, content, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount: 5,
      totalTokenCount: promptTokenCount + 5,
      promptTokensDetails: details,
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "r",
  };
}

/** https://ai.google.dev/gemini-api/docs/document-processing, https://ai.google.dev/gemini-api/docs/audio */
export const googleMediaParts: readonly Exchange[] = [
  {
    name: "a PDF is inline data",
    catalog: takesMedia,
    request: withPdf,
    sent: {
      contents: [
        {
          parts: [
            { text: "Read" },
            { inlineData: { mimeType: "application/pdf", data: pdfBase64 } },
          ],
        },
      ],
    },
    reply: { body: responseOf({ modality: "TEXT", tokenCount: 10 }) },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
  {
    name: "audio is inline data, and has its own price",
    catalog: takesMedia,
    request: withAudio,
    sent: {
      contents: [
        { parts: [{ text: "Hear" }, { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } }] },
      ],
    },
    reply: {
      body: responseOf({ modality: "TEXT", tokenCount: 10 }, { modality: "AUDIO", tokenCount: 30 }),
    },
    expected: { text: "Hello." },
    usage: { input: 10, audio: 30, output: 5 },
    cost: 1_800,
  },
];
