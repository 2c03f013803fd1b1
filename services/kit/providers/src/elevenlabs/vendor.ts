import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { elevenlabsRefusals } from "./errors.ts";
import { elevenlabsLive } from "./live.ts";
import { elevenlabsSpeech } from "./speech.ts";
import { elevenlabsTranscription } from "./transcription.ts";

/** ElevenLabs' API: https://elevenlabs.io/docs/api-reference */
export const elevenlabs: Vendor = {
  name: "elevenlabs",
  defaultBaseUrl: "https://api.elevenlabs.io/v1",
  routeBaseUrls: {},
  regions: undefined,
  paths: { speech: "/text-to-speech", transcriptions: "/speech-to-text" },
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters: new Set(),
  takesOtherMembers: false,
  nativeWires: new Set(),
  variables: undefined,
  authorize,
  ...elevenlabsRefusals,
  chat: undefined,
  json: {},
  refusedMembers: {},
  ocr: undefined,
  speech: elevenlabsSpeech,
  transcription: elevenlabsTranscription,
  live: elevenlabsLive,
};
