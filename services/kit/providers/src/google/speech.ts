import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { type ProviderResponse, readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import type { SpeechAdapter } from "../speech-adapter.ts";
import { writeWavHeader } from "../write-wav-header.ts";
import { googleRefusals } from "./errors.ts";

/** https://ai.google.dev/gemini-api/docs/speech-generation: 16-bit PCM, mono. */
const usualSampleRate = 24_000;

/** The same page: Gemini has no request that lists them. */
const voiceNames =
  "Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba " +
  "Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird " +
  "Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat";

/** Speech by Gemini's API, which returns it whole, as PCM in JSON. */
export const googleSpeech: SpeechAdapter = {
  usualVoice: () => voiceNames.split(" ")[0] ?? "",
  voices: { voices: voiceNames.split(" ").map((name) => ({ id: name, name })) },
  request({ path }, { input, voice, response_format = "wav", speed = 1 }) {
    if (response_format !== "wav" && response_format !== "pcm") {
      throw invalidParam("response_format", "must be wav or pcm for this model");
    }
    if (speed !== 1) throw invalidParam("speed", "cannot be set for this model");
    const voiceConfig = { prebuiltVoiceConfig: { voiceName: voice } };
    return {
      path,
      query: {},
      body: {
        contents: [{ role: "user", parts: [{ text: input }] }],
        generationConfig: { responseModalities: ["AUDIO"], speechConfig: { voiceConfig } },
      },
    };
  },
  async response(response, { response_format = "wav" }, signal) {
    const { value } = await readJsonObject(response, signal);
    refuseReportedError(value, googleRefusals);
    const { samples, sampleRate } = audioIn(value);
    return response_format === "pcm"
      ? audioOf("audio/pcm", [samples])
      : audioOf("audio/wav", [writeWavHeader(samples.length, sampleRate), samples]);
  },
};

/** Returns the audio of a response. Its media type names the sample rate: `audio/L16;codec=pcm;rate=24000`. */
function audioIn({ candidates }: JsonObject): { samples: Buffer; sampleRate: number } {
  const list: unknown[] = Array.isArray(candidates) ? candidates : [];
  const parts = list.flatMap((one): unknown => {
    const content = isJsonObject(one) ? one.content : undefined;
    return isJsonObject(content) ? content.parts : [];
  });
  const chunks = parts.flatMap((part) => {
    const inline = isJsonObject(part) && isJsonObject(part.inlineData) ? part.inlineData : {};
    const { data, mimeType } = inline;
    return typeof data === "string" ? [{ bytes: Buffer.from(data, "base64"), mimeType }] : [];
  });
  const [first] = chunks;
  if (first === undefined) {
    throw new SlotFailure("unusable", "the provider's response has no audio");
  }
  const samples = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const [, rate] = /;\s*rate=(\d{4,6})\b/.exec(String(first.mimeType)) ?? [];
  return { samples, sampleRate: Number(rate ?? usualSampleRate) };
}

function audioOf(contentType: string, buffers: readonly Buffer[]): ProviderResponse {
  const chunks = (async function* () {
    yield* buffers;
  })();
  const body = { [Symbol.asyncIterator]: () => chunks, letEnd() {} };
  return { status: 200, contentType, body };
}
