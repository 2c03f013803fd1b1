import { z } from "zod";
import type { Commands } from "../commands.ts";
import { picture } from "../picture.ts";
import type { GenerateContentRequest } from "./request.ts";

const SAMPLES_PER_CHARACTER = 100;

/** https://ai.google.dev/gemini-api/docs/imagen */
export const predictRequest = z.strictObject({
  instances: z.array(z.strictObject({ prompt: z.string().min(1) })).length(1),
  parameters: z
    .strictObject({
      sampleCount: z.int().min(1).max(4).optional(),
      aspectRatio: z.enum(["1:1", "3:4", "4:3", "9:16", "16:9"]).optional(),
    })
    .optional(),
});

/** Returns the response of an Imagen model. */
export function predictions(
  { parameters }: z.output<typeof predictRequest>,
  { images }: Commands,
): object {
  const count = images ?? parameters?.sampleCount ?? 4;
  return {
    predictions: Array.from({ length: count }, () => ({
      mimeType: "image/png",
      bytesBase64Encoded: picture,
    })),
  };
}

/** Returns the response to a request for an image or speech; undefined for one for text. */
export function mediaResponse(
  { generationConfig, contents }: GenerateContentRequest,
  { images = 1, bytes }: Commands,
): object | undefined {
  const [modality = "TEXT"] = generationConfig?.responseModalities ?? [];
  if (modality === "TEXT") return undefined;
  const text = contents.flatMap(({ parts }) => parts.map((part) => part.text ?? "")).join("");
  const data =
    modality === "IMAGE"
      ? Array.from({ length: images }, () => ({ mimeType: "image/png", data: picture }))
      : [pcmOf(bytes ?? 2 * SAMPLES_PER_CHARACTER * text.length)].filter(({ data }) => data !== "");
  const parts = data.map((inlineData) => ({ inlineData }));
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1_290, totalTokenCount: 1_293 },
    modelVersion: "simulated",
  };
}

function pcmOf(bytes: number): { mimeType: string; data: string } {
  return {
    mimeType: "audio/L16;codec=pcm;rate=24000",
    data: Buffer.alloc(bytes, 7).toString("base64"),
  };
}
