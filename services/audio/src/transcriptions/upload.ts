import type { IncomingMessage } from "node:http";
import { invalidParam } from "@tollgate/core/errors";
import { readForm } from "@tollgate/http/form-fields";
import { transcriptionForm } from "@tollgate/http/forms/transcription";
import { readMultipart } from "@tollgate/http/multipart";
import type { UploadStore } from "@tollgate/http/upload-store";

/** A valid form of a transcription. */
export interface Upload {
  alias: string;
  stream: boolean;
  /** Empty where the form names none. */
  language: string;
  /** The content type of the file, with its parameters. */
  contentType: string;
  audio: UploadStore;
}

/**
 * Reads the form of a transcription, and writes its file to `audio`. Throws what `readMultipart` and
 * `readForm` throw, and `invalid_param` for a language in a stream.
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
    throw invalidParam("language", "is detected in a stream, and cannot be chosen");
  }
  const [{ contentType }] = file;
  return { alias: model, stream: stream === "true", language, contentType, audio };
}
