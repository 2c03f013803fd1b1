import { imageModel, slot, speechModel } from "./entries.ts";

/** Images and speech of Gemini, and images of Imagen. */
export function googleMedia() {
  const imagen = "imagen-4.0-generate-001";
  const drawer = (alias: string, chain: object[]) => ({ ...imageModel(alias, ""), chain });
  const speaker = (alias: string, chain: object[]) => ({ ...speechModel(alias, ""), chain });
  return [
    drawer("test-google-image", [slot("google", "gemini-2.5-flash-image")]),
    drawer("test-google-image-none", [slot("google", "gemini-2.5-flash-image?images=0")]),
    drawer("test-google-image-down", [
      slot("google", "gemini-2.5-flash-image?status=503"),
      slot("sim", "image"),
    ]),
    drawer("test-google-imagen", [
      { ...slot("google", imagen), path: `/models/${imagen}:predict` },
    ]),
    speaker("test-google-speech", [slot("google", "gemini-2.5-flash-preview-tts")]),
    speaker("test-google-speech-empty", [slot("google", "gemini-2.5-flash-preview-tts?bytes=0")]),
  ];
}
