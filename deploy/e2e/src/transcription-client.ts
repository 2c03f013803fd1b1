import { wav } from "./audio-files.ts";
import type { HttpResponse } from "./http-response.ts";
import { type RawPart, rawForm } from "./raw-form.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

export type TranscriptionFields = Record<string, string>;

/** Transcribes uploads. */
export interface TranscriptionClient {
  /** The URL of the route. */
  url: string;
  /** Transcribes one file, with the model `test-hear` unless `fields` name another. */
  transcribe(fields?: TranscriptionFields, file?: Buffer, type?: string): Promise<HttpResponse>;
  /** Sends a form; `key` defaults to the account's. */
  post(form: FormData, key?: string): Promise<HttpResponse>;
  postRaw(parts: readonly RawPart[]): Promise<HttpResponse>;
}

export function transcriptionClient(stack: Stack, account: TestAccount): TranscriptionClient {
  const url = `${stack.url}/v1/audio/transcriptions`;

  async function post(form: FormData, key: string = account.key): Promise<HttpResponse> {
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const type = response.headers.get("content-type") ?? "";
    return send(url, { key, body, headers: { "content-type": type } });
  }

  return {
    url,
    transcribe(fields = {}, file = wav(1), type) {
      return post(audioForm(file, { model: "test-hear", ...fields }, type));
    },
    post,
    postRaw(parts) {
      const { body, contentType } = rawForm(parts);
      return send(url, { key: account.key, body, headers: { "content-type": contentType } });
    },
  };
}

/** Returns a form with the fields, then the file if there is one. */
export function audioForm(
  file: Buffer | undefined,
  fields: TranscriptionFields,
  type: string = "audio/wav",
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append("file", new Blob([new Uint8Array(file)], { type }), "a.wav");
  return form;
}
