import type { ExchangeRequest } from "./exchange.ts";

/** The base64 of a PDF, as far as anyone here reads it. */
export const pdfBase64 = "JVBERi0xLjQK";
const dataUrl = `data:application/pdf;base64,${pdfBase64}`;
const wav = { data: "UklGRg==", format: "wav" };

/** A user asks about a PDF. */
export const withPdf: ExchangeRequest = {
  chat: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Read" },
          { type: "file", file: { filename: "bill.pdf", file_data: dataUrl } },
        ],
      },
    ],
  },
  messages: {
    max_tokens: 1_000,
    messages: [
      {
        role: "user",
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
  responses: {
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Read" },
          { type: "input_file", filename: "bill.pdf", file_data: dataUrl },
        ],
      },
    ],
  },
};

/** A user asks about audio. Messages has none. */
export const withAudio: ExchangeRequest = {
  chat: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Hear" },
          { type: "input_audio", input_audio: wav },
        ],
      },
    ],
  },
  responses: {
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Hear" },
          { type: "input_audio", input_audio: wav },
        ],
      },
    ],
  },
};

/** Members of a model that takes both, with audio at 40 USD a million tokens. */
export const takesMedia = {
  inputs: ["pdf", "audio"],
  pricing: { input: "10", audio_input: "40", cache_write_1h: "20", output: "100" },
};
