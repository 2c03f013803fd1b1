import type { ChatCompletionFunctionTool } from "openai/resources/chat/completions";

/** A tool that the simulator calls with `{"path":"README.md"}`. */
export const readFile: ChatCompletionFunctionTool = {
  type: "function",
  function: {
    name: "read_file",
    description: "Reads a file.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
};

/** A PNG of one pixel. */
export const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A PDF of two pages, as a part of a message. */
export const billPart = {
  type: "file",
  file: {
    filename: "bill.pdf",
    file_data: `data:application/pdf;base64,${Buffer.from(
      "%PDF-1.4\n1 0 obj <</Type /Page>> 2 0 obj <</Type /Page>>\n%%EOF",
    ).toString("base64")}`,
  },
} as const;

/** Audio of three seconds by its size, as a part of a message. */
export const soundPart = {
  type: "input_audio",
  input_audio: { data: Buffer.alloc(6_000).toString("base64"), format: "mp3" },
} as const;

/** The schema of an object with a city. */
export const citySchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
