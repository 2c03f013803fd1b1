import { idsOfAll } from "../model-list.ts";
import { plainVendor } from "../plain-vendor.ts";
import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { elevenlabsRefusals } from "./errors.ts";
import { elevenlabsLive } from "./live.ts";
import { elevenlabsSpeech } from "./speech.ts";
import { elevenlabsTranscription } from "./transcription.ts";

/** ElevenLabs' API: https://elevenlabs.io/docs/api-reference */
export const elevenlabs: Vendor = {
  ...plainVendor,
  name: "elevenlabs",
  defaultBaseUrl: "https://api.elevenlabs.io/v1",
  paths: { speech: "/text-to-speech", transcriptions: "/speech-to-text" },
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  authorize,
  ...elevenlabsRefusals,
  speech: elevenlabsSpeech,
  transcription: elevenlabsTranscription,
  live: elevenlabsLive,
  modelList: { path: "/models", idsOf: (response) => idsOfAll(response, "model_id") },
};
