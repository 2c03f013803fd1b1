import type { Model } from "@tollgate/catalog/model";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { liveAudio } from "@tollgate/http/forms/live-transcription";
import type { ClientFrame } from "./client-socket.ts";

const fields = ["model", ...Object.keys(liveAudio)];

/**
 * Reads the first frame of a live transcription. Returns its model, which `resolve` returns or throws
 * for, before the format is checked. Throws `invalid_json`, `unknown_param`, `invalid_param` or
 * `unsupported_audio_format` for a frame that is not a valid configuration.
 */
export function readConfigFrame(frame: ClientFrame, resolve: (alias: string) => Model): Model {
  const config = parse(frame);
  const unknown = Object.keys(config).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    const param = unknown.slice(0, 200);
    throw new GatewayError("unknown_param", `${param} is not a parameter.`, { param });
  }
  const { model: alias, format, ...rates } = config;
  if (typeof alias !== "string" || alias === "")
    throw invalidParam("model", "must be the alias of a model");
  const model = resolve(alias);
  if (typeof format !== "string") throw invalidParam("format", `must be "${liveAudio.format}"`);
  if (format !== liveAudio.format) {
    const message = `format must be "${liveAudio.format}".`;
    throw new GatewayError("unsupported_audio_format", message, { param: "format" });
  }
  for (const name of ["sample_rate", "channels"] as const) {
    const value = rates[name] ?? liveAudio[name];
    if (value !== liveAudio[name]) throw invalidParam(name, `must be ${liveAudio[name]}`);
  }
  return model;
}

function parse(frame: ClientFrame): JsonObject {
  const hint = "The first frame must be the configuration, a JSON object as text.";
  if (frame.kind === "audio") throw new GatewayError("invalid_json", hint);
  try {
    const value: unknown = JSON.parse(frame.text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new GatewayError("invalid_json", hint, { cause });
  }
  throw new GatewayError("invalid_json", hint);
}
