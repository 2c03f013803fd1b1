import type { Vendor } from "../vendor.ts";
import { authorize } from "./auth.ts";
import { deepgramRefusals } from "./errors.ts";
import { deepgramLive } from "./live.ts";
import { deepgramSpeech } from "./speech.ts";
import { deepgramTranscription } from "./transcription.ts";

/** Deepgram's API: https://developers.deepgram.com/reference */
export const deepgram: Vendor = {
  name: "deepgram",
  defaultBaseUrl: "https://api.deepgram.com/v1",
  routeBaseUrls: {},
  regions: undefined,
  paths: { speech: "/speak", transcriptions: "/listen" },
  takesTokens: false,
  measuresUnreported: true,
  billsHourlyCacheWrites: false,
  chatParameters: new Set(),
  takesOtherMembers: false,
  nativeWires: new Set(),
  variables: undefined,
  authorize,
  ...deepgramRefusals,
  chat: undefined,
  json: {},
  refusedMembers: {},
  ocr: undefined,
  speech: deepgramSpeech,
  transcription: deepgramTranscription,
  live: deepgramLive,
};
