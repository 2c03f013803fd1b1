import type { SpeechFormat } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { SpeechAdapter } from "../speech-adapter.ts";

/** https://developers.deepgram.com/docs/tts-media-output-settings */
const outputs: Readonly<Record<SpeechFormat, Record<string, string>>> = {
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav" },
  pcm: { encoding: "linear16", container: "none", sample_rate: "24000" },
};

/**
 * Speech by Deepgram's API, whose voices are models: `aura-2-thalia-en` is a voice of `aura-2`. A voice
 * of another model, which has another price, is refused.
 */
export const deepgramSpeech: SpeechAdapter = {
  voices: "/models",
  usualVoice: ({ upstreamModel }) => `${upstreamModel}-thalia-en`,
  request({ path, upstreamModel }, { input, voice, response_format = "mp3", speed = 1 }) {
    if (!voice.startsWith(`${upstreamModel}-`)) {
      throw invalidParam("voice", `must begin with ${upstreamModel}- for this model`);
    }
    if (speed !== 1) throw invalidParam("speed", "cannot be set for this model");
    return { path, query: { model: voice, ...outputs[response_format] }, body: { text: input } };
  },
};
