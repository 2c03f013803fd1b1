import { idsIn } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { deepgramRefusals } from "./errors.ts";
import { deepgramLive } from "./live.ts";
import { deepgramSpeech } from "./speech.ts";
import { deepgramTranscription } from "./transcription.ts";

/** Deepgram's API: https://developers.deepgram.com/reference */
export const deepgram: Vendor = {
  ...plainVendor,
  name: "deepgram",
  defaultBaseUrl: "https://api.deepgram.com/v1",
  paths: { speech: "/speak", transcriptions: "/listen" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  authorize,
  ...deepgramRefusals,
  speech: deepgramSpeech,
  transcription: deepgramTranscription,
  live: deepgramLive,
  modelList: {
    path: "/models",
    // A voice is a model of speech, and a slot names the model without its voice.
    idsOf: (response) => [
      ...idsIn(response, "stt", "canonical_name"),
      ...idsIn(response, "tts", "architecture"),
    ],
  },
};
