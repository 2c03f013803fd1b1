import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

type Sizes = Readonly<Record<string, string>>;

/** The aspect ratio of each size: https://ai.google.dev/gemini-api/docs/image-generation */
const geminiSizes: Sizes = {
  "1024x1024": "1:1",
  "832x1248": "2:3",
  "1248x832": "3:2",
  "864x1184": "3:4",
  "1184x864": "4:3",
  "896x1152": "4:5",
  "1152x896": "5:4",
  "768x1344": "9:16",
  "1344x768": "16:9",
  "1536x672": "21:9",
};

/** The same of Imagen: https://ai.google.dev/gemini-api/docs/imagen */
const imagenSizes: Sizes = {
  "1024x1024": "1:1",
  "896x1280": "3:4",
  "1280x896": "4:3",
  "768x1408": "9:16",
  "1408x768": "16:9",
};
const maxImagenImages = 4;

/**
 * Images by Gemini, one in a call, and by Imagen, whose path ends with `:predict`. They are returned as
 * bytes, so their URLs are `data:` URLs.
 */
export const googleImages: JsonAdapter = {
  check({ path }, { size, n = 1 }) {
    const sizes = sizesOf(path);
    if (typeof size === "string" && sizes[size] === undefined) {
      throw invalidParam("size", `must be ${Object.keys(sizes).join(", ")} for this model`);
    }
    const most = isImagen(path) ? maxImagenImages : 1;
    if (Number(n) > most) throw invalidParam("n", `must be at most ${most} for this model`);
  },
  request({ path }, { prompt, size, n = 1 }) {
    const ratio = typeof size === "string" ? sizesOf(path)[size] : undefined;
    const aspectRatio = ratio === undefined ? {} : { aspectRatio: ratio };
    if (isImagen(path)) {
      return { instances: [{ prompt }], parameters: { sampleCount: n, ...aspectRatio } };
    }
    const imageConfig = ratio === undefined ? {} : { imageConfig: aspectRatio };
    return {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ["IMAGE"], ...imageConfig },
    };
  },
  response({ candidates, predictions, promptFeedback }) {
    if (!Array.isArray(candidates) && !Array.isArray(predictions)) {
      const reason = isJsonObject(promptFeedback) ? "refuses the prompt" : "has no images";
      throw new SlotFailure("unusable", `the provider's response ${reason}`);
    }
    const images = [...listOf(predictions).map(imagenUrl), ...partsOf(candidates).map(geminiUrl)];
    return { data: images.filter((url) => url !== undefined).map((url) => ({ url })) };
  },
};

function isImagen(path: string): boolean {
  return path.endsWith(":predict");
}

function sizesOf(path: string): Sizes {
  return isImagen(path) ? imagenSizes : geminiSizes;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function partsOf(candidates: unknown): JsonObject[] {
  return listOf(candidates).flatMap(({ content }) =>
    isJsonObject(content) ? listOf(content.parts) : [],
  );
}

function imagenUrl({ bytesBase64Encoded: data, mimeType }: JsonObject): string | undefined {
  return dataUrl(mimeType, data);
}

function geminiUrl({ inlineData, thought }: JsonObject): string | undefined {
  if (!isJsonObject(inlineData) || thought === true) return undefined;
  return dataUrl(inlineData.mimeType, inlineData.data);
}

function dataUrl(type: unknown, data: unknown): string | undefined {
  if (typeof type !== "string" || typeof data !== "string") return undefined;
  return `data:${type};base64,${data}`;
}
