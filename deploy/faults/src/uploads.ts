import { wav } from "@tollgate/e2e/audio-files";

export interface EncodedForm {
  body: Uint8Array;
  contentType: string;
}

type Fields = Record<string, string>;

/** Builds a transcription form with a WAV file of `seconds` seconds. */
export function transcriptionUpload(fields: Fields, seconds: number): Promise<EncodedForm> {
  return formOf(fields, new Blob([new Uint8Array(wav(seconds))], { type: "audio/wav" }), "a.wav");
}

/** Builds an OCR form with one image. */
export function ocrUpload(fields: Fields): Promise<EncodedForm> {
  return formOf(fields, new Blob(["\u0089PNG and so on"], { type: "image/png" }), "a.png");
}

async function formOf(fields: Fields, file: Blob, name: string): Promise<EncodedForm> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append("file", file, name);
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return { body, contentType: encoded.headers.get("content-type") ?? "" };
}
