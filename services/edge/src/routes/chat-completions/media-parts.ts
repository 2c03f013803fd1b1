import { z } from "zod";
import { text } from "../../validation/fields.ts";

/** The parts of a user's message that not every model takes: files and audio. */

/** A PDF in base64, or an address. Other documents have pages that nobody can count. */
const fileData =
  /^([dD][aA][tT][aA]:[aA][pP][pP][lL][iI][cC][aA][tT][iI][oO][nN]\/[pP][dD][fF](;[^;,]{1,300}){0,4};[bB][aA][sS][eE]64,|[hH][tT][tT][pP][sS]?:\/\/)/;

export const userFilePart = z
  .looseObject({
    type: z.literal("file"),
    file: z
      .strictObject(
        {
          filename: text.nullish(),
          file_data: text
            .regex(fileData, "must be a data:application/pdf URL in base64")
            .nullish()
            .describe("A PDF as a data URL in base64, or its address where the alias allows it."),
          file_id: text
            .nullish()
            .describe("The id of a file that the provider stores, where the alias allows it."),
        },
        { error: "must be an object with file_data" },
      )
      .refine((file) => file.file_data != null || file.file_id != null, {
        error: "is required without file_id",
        path: ["file_data"],
      })
      .meta({
        anyOf: ["file_data", "file_id"].map((name) => {
          return { required: [name], properties: { [name]: { type: "string" } } };
        }),
      }),
  })
  .meta({ id: "FilePart" });

export const userAudioPart = z
  .looseObject({
    type: z.literal("input_audio"),
    input_audio: z.strictObject(
      {
        data: text
          .min(1, "must not be empty")
          .regex(/^(?![dD][aA][tT][aA]:)/, "must be base64, and no data URL")
          .describe("The audio in base64."),
        format: z.enum(["wav", "mp3"], { error: 'must be "wav" or "mp3"' }),
      },
      { error: "must be an object with data and a format" },
    ),
  })
  .meta({ id: "AudioPart" });
