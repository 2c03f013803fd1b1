import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { segmentsOf } from "../segments.ts";
import type { AudioUpload, TranscriptionAdapter, Word } from "../transcription-adapter.ts";

/** Transcription of files by ElevenLabs' API, which takes a form. */
export const elevenlabsTranscription: TranscriptionAdapter = {
  request({ upstreamModel }, upload) {
    const { language } = upload;
    const fields = {
      model_id: upstreamModel,
      diarize: "true",
      tag_audio_events: "false",
      ...(language === "" ? {} : { language_code: language }),
    };
    return formOf(fields, upload);
  },
  response({ text, language_code: language, audio_duration_secs: duration, ...value }) {
    if (typeof text !== "string") {
      throw new SlotFailure("rejected", "the provider's response has no transcript");
    }
    const words = elevenlabsWords(value);
    return {
      text,
      ...(typeof language === "string" ? { language } : {}),
      ...(typeof duration === "number" ? { duration } : {}),
      segments: segmentsOf(words),
      words,
    };
  },
};

/** Returns the words of a transcript, without the spaces between them. */
export function elevenlabsWords({ words }: JsonObject): Word[] {
  return (Array.isArray(words) ? words : []).filter(isJsonObject).flatMap((one) => {
    const { text, start, end, type, speaker_id: speaker } = one;
    if (type !== "word" || typeof text !== "string") return [];
    if (typeof start !== "number" || typeof end !== "number") return [];
    return [{ word: text, start, end, ...(typeof speaker === "string" ? { speaker } : {}) }];
  });
}

/** Returns a form with the file after its fields, which is read as it is sent. */
function formOf(fields: Record<string, string>, { contentType, bytes, read }: AudioUpload) {
  const boundary = `tollgate-${randomUUID()}`;
  const part = (name: string, more = "") =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`);
  const file = part("file", `; filename="audio"\r\ncontent-type: ${contentType}`);
  const head = Buffer.from(`${texts.join("")}${file}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body() {
    yield head;
    yield* read();
    yield tail;
  }
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + bytes + tail.length),
    },
    body: Readable.from(body(), { objectMode: false }),
  };
}
