import type { Operation } from "../../openapi/operation.ts";
import { upgradeRequired } from "../route.ts";
import { framesDescription, framesSchema } from "./schema.ts";

export const streamTranscriptionOperation: Operation = {
  id: "streamTranscription",
  tag: "Audio",
  summary: "Transcribe live audio over a WebSocket",
  description:
    "Send a WebSocket upgrade. An error of the key or the wallet is an ordinary HTTP response; an " +
    "error of the first frame is sent as a frame. A browser, which cannot set the `Authorization` " +
    "header, sends the sub-protocol `openai-insecure-api-key.` followed by its key. A stream is " +
    "charged for the audio that the provider was sent, however it ends.\n\n" +
    framesDescription,
  responses: {
    101: { description: "The connection is a WebSocket. `x-websocket` describes its frames." },
  },
  errors: ["invalid_param"],
  ownErrors: { invalid_param: upgradeRequired() },
  extensions: { "x-websocket": framesSchema },
};
