import { speechFormats } from "@tollgate/catalog/model";
import { z } from "zod";
import { alias, numberFrom, oneOf, text } from "../../validation/fields.ts";

export const speechSchema = z.strictObject({
  model: alias,
  input: text
    .min(1, "must not be empty")
    .describe("The text to speak. It is billed by character. Every alias has a maximum length."),
  voice: text
    .min(1, "must not be empty")
    .describe("The id of a voice of the alias. See `GET /v1/audio/voices`."),
  response_format: oneOf(speechFormats).describe("The audio format. The alias may support some."),
  speed: numberFrom(0.25, 4).describe("The speed of the speech. 1 is the voice's own speed."),
});
