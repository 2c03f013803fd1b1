import type { SpeechFormat } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { SpeechAdapter } from "../speech-adapter.ts";

/**
 * https://elevenlabs.io/docs/api-reference/text-to-speech/convert: `output_format`. A stream has all of
 * them but WAV.
 */
const outputFormats: { readonly [Format in SpeechFormat]?: string } = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_128",
  wav: "wav_44100",
  pcm: "pcm_24000",
};

/** The same page: `voice_settings.speed`. */
const [slowest, fastest] = [0.7, 1.2];

/** Speech by ElevenLabs' API. The voice is a part of the path. */
export const elevenlabsSpeech: SpeechAdapter = {
  voices: "/voices",
  // George, of the voices that every account has: https://elevenlabs.io/docs/quickstart
  usualVoice: () => "JBFqnCBsd6RMkjVDRZzb",
  request({ path, upstreamModel }, { input, voice, response_format = "mp3", speed = 1 }) {
    const format = outputFormats[response_format];
    if (format === undefined) {
      const formats = Object.keys(outputFormats).join(", ");
      throw invalidParam("response_format", `must be ${formats} for this model`);
    }
    if (speed < slowest || speed > fastest) {
      throw invalidParam("speed", `must be from ${slowest} to ${fastest} for this model`);
    }
    const spoken = `${path}/${encodeURIComponent(voice)}`;
    return {
      path: response_format === "wav" ? spoken : `${spoken}/stream`,
      query: { output_format: format },
      body: {
        text: input,
        model_id: upstreamModel,
        ...(speed === 1 ? {} : { voice_settings: { speed } }),
      },
    };
  },
};
