import { wav } from "./audio-files.ts";
import { type RawPart, rawForm } from "./raw-form.ts";
import { type Answer, send } from "./request.ts";
import type { Account, Stack } from "./stack.ts";

export type Fields = Record<string, string>;

/** How a client has uploads transcribed. */
export interface TranscriptionClient {
  /** Where forms go. */
  url: string;
  /** Has one file transcribed, with the usual model where `fields` name none. */
  ask(fields?: Fields, file?: Buffer, type?: string): Promise<Answer>;
  /** Sends a form, with another key than the usual where one is given. */
  post(form: FormData, key?: string): Promise<Answer>;
  postRaw(parts: readonly RawPart[]): Promise<Answer>;
}

export function transcriptionClient(stack: Stack, account: Account): TranscriptionClient {
  const url = `${stack.url}/v1/audio/transcriptions`;

  async function post(form: FormData, key: string = account.key): Promise<Answer> {
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const type = response.headers.get("content-type") ?? "";
    return send(url, { key, body, headers: { "content-type": type } });
  }

  return {
    url,
    ask(fields = {}, file = wav(1), type) {
      return post(audioForm(file, { model: "test-hear", ...fields }, type));
    },
    post,
    postRaw(parts) {
      const { body, contentType } = rawForm(parts);
      return send(url, { key: account.key, body, headers: { "content-type": contentType } });
    },
  };
}

/** A form as clients make it: the fields, then the file where there is one. */
export function audioForm(
  file: Buffer | undefined,
  fields: Fields,
  type: string = "audio/wav",
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append("file", new Blob([new Uint8Array(file)], { type }), "a.wav");
  return form;
}
