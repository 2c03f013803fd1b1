import type { IncomingMessage } from "node:http";
import { invalidParam } from "@tollgate/core/errors";
import { type FormPart, type FormValues, readForm } from "@tollgate/http/form-fields";
import {
  fullTranscriptionForm,
  refusedInStreams,
  transcriptionForm,
} from "@tollgate/http/forms/transcription";
import { readMultipart } from "@tollgate/http/multipart";
import type { UploadStore } from "@tollgate/http/upload-store";
import type { TranscriptionOptions } from "@tollgate/providers/transcription-adapter";

/** A valid form of a transcription. */
export interface Upload {
  alias: string;
  stream: boolean;
  /** Empty where the form names none. */
  language: string;
  /** The content type of the file, with its parameters. */
  contentType: string;
  /** As the client names it; empty where it does not. */
  fileName: string;
  options: TranscriptionOptions;
  audio: UploadStore;
}

/**
 * Reads the form of a transcription, and writes its file to `audio`. `takesForms` returns whether all
 * slots of an alias take OpenAI's form, which has more fields. Throws what `readMultipart` and `readForm`
 * throw, and `invalid_param` for a field that a stream does not take.
 */
export async function readUpload(
  req: IncomingMessage,
  audio: UploadStore,
  takesForms: (alias: string) => boolean,
): Promise<Upload> {
  let files = 0;
  const parts = await readMultipart(req, {
    async takeFile(name, contents) {
      files += 1;
      const store = name === "file" && files === 1 ? audio : undefined;
      for await (const chunk of contents) await store?.write(chunk);
    },
  });
  const form = hasFullFields(parts, takesForms) ? fullTranscriptionForm : transcriptionForm;
  const values: FormValues<typeof fullTranscriptionForm> = {
    "timestamp_granularities[]": [],
    ...readForm(parts, form),
  };
  const { file, model, stream, language = "" } = values;
  if (stream === "true") refuseStreamFields(parts);
  const [{ contentType, fileName }] = file;
  const options = {
    prompt: values.prompt ?? "",
    responseFormat: values.response_format ?? "",
    temperature: values.temperature ?? "",
    timestampGranularities: values["timestamp_granularities[]"],
  };
  const alias = model;
  return { alias, stream: stream === "true", language, contentType, fileName, options, audio };
}

/** Whether the form has a field that only some aliases take, and its alias takes it. */
function hasFullFields(
  parts: readonly FormPart[],
  takesForms: (alias: string) => boolean,
): boolean {
  if (!parts.some(({ name }) => name in fullTranscriptionForm && !(name in transcriptionForm))) {
    return false;
  }
  const alias = parts.find(({ name, kind }) => name === "model" && kind === "field");
  return alias?.kind === "field" && takesForms(alias.value);
}

/** An empty field counts as not set. */
function refuseStreamFields(parts: readonly FormPart[]): void {
  for (const [name, problem] of Object.entries(refusedInStreams)) {
    const part = parts.find((candidate) => candidate.name === name);
    if (part === undefined || (part.kind === "field" && part.value === "")) continue;
    throw invalidParam(name, problem);
  }
}
