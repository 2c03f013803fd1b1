import type { KeyedHandler } from "../../http/handler.ts";
import { forwardUpload } from "../../proxy/upload-handler.ts";
import type { RouteDependencies } from "../dependencies.ts";

/** POST /v1/audio/transcriptions. The audio service reads the form. */
export function createTranscription(dependencies: RouteDependencies): KeyedHandler {
  return forwardUpload(dependencies, dependencies.proxies.audio);
}
