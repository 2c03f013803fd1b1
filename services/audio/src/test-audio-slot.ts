import { create } from "@bufbuild/protobuf";
import type { TestedCall } from "@tollgate/generation/slot-test/test-slot";
import { createUploadStore } from "@tollgate/http/upload-store";
import { SpeakRequestSchema } from "@tollgate/proto/tollgate/v1/audio";
import { usualVoiceOf } from "@tollgate/providers/speech";
import { writeWavHeader } from "@tollgate/providers/write-wav-header";
import { speak } from "./speech.ts";
import { transcribeFile } from "./transcriptions/transcribe-file.ts";

const text = "Hi";
const sampleRate = 16_000;

/** Speaks two letters, or transcribes a second of silence; see `testSlot`. */
export async function callAudioSlot(call: TestedCall): Promise<void> {
  const { runtime, model, test, caller, cancellation } = call;
  const { alias } = model;
  if (model.routeType === "speech") {
    const [slot] = model.chain;
    const voice = test.voice || (slot === undefined ? "" : usualVoiceOf(slot));
    const body = Buffer.from(JSON.stringify({ input: text, voice }));
    const request = create(SpeakRequestSchema, { caller, alias, body, characters: text.length });
    for await (const _ of speak(runtime, request, cancellation)) {
      // Read to its end.
    }
    return;
  }
  const audio = createUploadStore(inMemory);
  try {
    await audio.write(silence());
    const language = model.transcription?.language === "required" ? "en" : "";
    const options = { prompt: "", responseFormat: "", temperature: "", timestampGranularities: [] };
    const file = { contentType: "audio/wav", fileName: "test.wav", audio, options };
    const upload = { alias, stream: false, language, ...file };
    await transcribeFile(runtime, caller, upload, cancellation);
  } finally {
    await audio.dispose();
  }
}

/** The audio is so small that it is not written to the disk. */
const inMemory: Parameters<typeof createUploadStore>[0] = {
  grow() {},
  diskFull: (cause) => {
    throw cause;
  },
  release() {},
};

/** Returns a second of silence as a WAV file of 16 bits and one channel. */
function silence(): Buffer {
  const bytes = sampleRate * 2;
  return Buffer.concat([writeWavHeader(bytes, sampleRate), Buffer.alloc(bytes)]);
}
