import type { IncomingMessage } from "node:http";
import { invalidParam } from "@tollgate/core/errors";
import { readForm } from "@tollgate/http/form-fields";
import { transcriptionForm } from "@tollgate/http/forms/transcription";
import { readMultipart } from "@tollgate/http/multipart";
import type { UploadStore } from "@tollgate/http/upload-store";

/** A transcription's form, checked. */
export interface Upload {
  alias: string;
  stream: boolean;
  /** Empty when none was named. */
  language: string;
  contentType: string;
  audio: UploadStore;
}

/**
 * Reads a transcription's form, its file into `audio`. Raises `unknown_param` and `invalid_param`,
 * naming the field, and what reading a form raises.
 */
export async function readUpload(req: IncomingMessage, audio: UploadStore): Promise<Upload> {
  let files = 0;
  const parts = await readMultipart(req, {
    async takeFile(name, contents) {
      files += 1;
      const store = name === "file" && files === 1 ? audio : undefined;
      for await (const chunk of contents) await store?.write(chunk);
    },
  });
  const { file, model, stream, language = "" } = readForm(parts, transcriptionForm);
  if (stream === "true" && language !== "") {
    throw invalidParam("language", "is found out by itself in a stream, and cannot be chosen");
  }
  const [{ contentType }] = file;
  return { alias: model, stream: stream === "true", language, contentType, audio };
}
