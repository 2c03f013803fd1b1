import type { Slot } from "@tollgate/catalog/model";
import { describe, expect, test } from "vitest";
import { googleImages } from "./image-generation.ts";

const gemini = { path: "/models/gemini-2.5-flash-image:generateContent" } as Slot;
const imagen = { path: "/models/imagen-4.0-generate-001:predict" } as Slot;
const prompt = "A red fox";

/** https://ai.google.dev/gemini-api/docs/image-generation */
describe("an image by Gemini", () => {
  test("is requested alone, without a text", () => {
    expect(googleImages.request(gemini, { prompt })).toEqual({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ["IMAGE"] },
    });
  });

  test("has the ratio of its size", () => {
    expect(googleImages.request(gemini, { prompt, size: "1344x768" })).toMatchObject({
      generationConfig: { imageConfig: { aspectRatio: "16:9" } },
    });
  });

  test("is returned as a data URL, without the images of the model's thinking", () => {
    const inlineData = { mimeType: "image/png", data: "iVBORw0KGgo=" };
    const response = {
      candidates: [
        {
          content: {
            parts: [{ inlineData, thought: true }, { text: "Here it is." }, { inlineData }],
            role: "model",
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1_290, totalTokenCount: 1_294 },
      modelVersion: "gemini-2.5-flash-image",
    };
    expect(googleImages.response(response, {})).toEqual({
      data: [{ url: "data:image/png;base64,iVBORw0KGgo=" }],
    });
  });

  test.each([
    ["no image", { modelVersion: "gemini-2.5-flash-image" }, "has no images"],
    ["a blocked prompt", { promptFeedback: { blockReason: "SAFETY" } }, "refuses the prompt"],
  ])("fails with %s", (_, response, reason) => {
    expect(() => googleImages.response(response, {})).toThrow(reason);
  });

  test.each([
    ["size", { size: "512x512" }],
    ["n", { n: 2 }],
  ])("is refused by name: %s", (param, more) => {
    expect(() => googleImages.check?.(gemini, { prompt, ...more })).toThrow(
      expect.objectContaining({ code: "invalid_param", param }),
    );
  });
});

/** https://ai.google.dev/gemini-api/docs/imagen */
describe("images by Imagen", () => {
  test("are requested as instances with parameters", () => {
    expect(googleImages.request(imagen, { prompt, n: 2, size: "1408x768" })).toEqual({
      instances: [{ prompt }],
      parameters: { sampleCount: 2, aspectRatio: "16:9" },
    });
  });

  test("are returned as data URLs; one that a filter has stopped is left out", () => {
    const response = {
      predictions: [
        { mimeType: "image/png", bytesBase64Encoded: "iVBORw0KGgo=" },
        { raiFilteredReason: "The image was filtered." },
      ],
    };
    expect(googleImages.response(response, {})).toEqual({
      data: [{ url: "data:image/png;base64,iVBORw0KGgo=" }],
    });
  });

  test("are four at most", () => {
    expect(() => googleImages.check?.(imagen, { prompt, n: 4 })).not.toThrow();
    expect(() => googleImages.check?.(imagen, { prompt, n: 5 })).toThrow("must be at most 4");
  });
});
