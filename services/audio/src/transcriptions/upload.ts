import type { IncomingMessage } from "node:http";
import { invalidParam } from "@tollgate/core/errors";
import { type FormPart, readForm } from "@tollgate/http/form-fields";
import { refusedInStreams, transcriptionForm } from "@tollgate/http/forms/transcription";
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
 * `readForm` throw, and `invalid_param` for a field that a stream does not take.
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
  if (stream === "true") refuseStreamFields(parts);
  const [{ contentType }] = file;
  return { alias: model, stream: stream === "true", language, contentType, audio };
}

/** An empty field counts as not set. */
function refuseStreamFields(parts: readonly FormPart[]): void {
  for (const [name, problem] of Object.entries(refusedInStreams)) {
    const part = parts.find((candidate) => candidate.name === name);
    if (part === undefined || (part.kind === "field" && part.value === "")) continue;
    throw invalidParam(name, problem);
  }
}
