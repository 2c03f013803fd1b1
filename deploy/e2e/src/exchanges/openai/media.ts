import { completion } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { pdfBase64, takesMedia, withAudio, withPdf } from "../media-requests.ts";

/** https://platform.openai.com/docs/guides/pdf-files, https://platform.openai.com/docs/guides/audio */
export const openaiMediaParts: readonly Exchange[] = [
  {
    name: "a PDF is a file",
    catalog: takesMedia,
    request: withPdf,
    sent: {
      messages: [
        {
          content: [
            { type: "text", text: "Read" },
            { type: "file", file: { file_data: `data:application/pdf;base64,${pdfBase64}` } },
          ],
        },
      ],
    },
    reply: {
      body: completion({ content: "Hello." }),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
  {
    name: "audio has its own price",
    catalog: takesMedia,
    request: withAudio,
    sent: { messages: [{ content: [{ type: "text" }, { input_audio: { format: "wav" } }] }] },
    reply: {
      body: completion({ content: "Hello." }, "stop", {
        prompt_tokens: 40,
        completion_tokens: 5,
        total_tokens: 45,
        prompt_tokens_details: { audio_tokens: 30, text_tokens: 10 },
      }),
    },
    expected: { text: "Hello." },
    // 10 × 10 + 30 × 40 + 5 × 100.
    usage: { input: 10, audio: 30, output: 5 },
    cost: 1_800,
  },
];
