import { internalError } from "@tollgate/core/errors";
import type { UploadReservation } from "@tollgate/http/upload-space";
import { createUploadStore } from "@tollgate/http/upload-store";
import { expect, test } from "vitest";
import { findPcmSamples } from "./pcm-samples.ts";

const space: UploadReservation = { grow() {}, release() {}, diskFull: internalError };
const upload = { alias: "a", stream: true, language: "", audio: createUploadStore(space) };

test.each([
  "audio/L16",
  "AUDIO/l16;rate=16000;channels=1",
  'audio/L16; rate="16000"; channels="1"',
  "audio/pcm ; Rate=16000",
])("%s can be streamed", (contentType) => {
  expect(findPcmSamples({ ...upload, contentType })).toEqual({ offset: 0, bytes: 0 });
});

test.each([
  'audio/L16; rate="8000"',
  "audio/L16; channels=2",
  "audio/flac",
])("%s cannot be streamed", (contentType) => {
  const refused = expect.objectContaining({ code: "unsupported_audio_format" });
  expect(() => findPcmSamples({ ...upload, contentType })).toThrow(refused);
});
