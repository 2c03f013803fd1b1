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

/** The schema of an object with a city. */
export const citySchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
