import type { Slot } from "@tollgate/catalog/model";
import { formWithFile } from "../form-with-file.ts";
import type { AudioUpload, TranscriptionAdapter } from "../transcription-adapter.ts";

/** The formats that are JSON, as the response of the route is: the others are not asked for. */
const jsonFormats: ReadonlySet<string> = new Set(["json", "verbose_json", "diarized_json"]);

/**
 * Transcription of files by OpenAI's form, which many vendors take:
 * https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const openaiTranscription: TranscriptionAdapter = {
  request(slot, upload) {
    const { prompt, responseFormat, temperature, timestampGranularities } = upload.options;
    return formWithFile(
      [
        ...commonFields(slot, upload),
        ["prompt", prompt],
        ["response_format", jsonFormats.has(responseFormat) ? responseFormat : ""],
        ["temperature", temperature],
        ...timestampGranularities.map((name) => ["timestamp_granularities[]", name] as const),
      ],
      upload,
    );
  },
};

/** Returns the same form for a transcript that is sent as it is made, as server-sent events. */
export function streamedTranscriptionForm(slot: Slot, upload: AudioUpload) {
  return formWithFile([...commonFields(slot, upload), ["stream", "true"]], upload);
}

function commonFields({ upstreamModel }: Slot, { language }: AudioUpload) {
  return [
    ["model", upstreamModel],
    ["language", language],
  ] as const;
}
