import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";

export const listVoicesOperation: Operation = {
  id: "listVoices",
  tag: "Audio",
  summary: "List the voices of a speech model",
  description: "Free of charge, and available with an empty wallet.",
  responses: {
    200: jsonResponseDoc("Voices", z.unknown(), "The provider's list of voices.", {
      voices: [
        { id: "alto", name: "Alto" },
        { id: "tenor", name: "Tenor" },
      ],
      model: "sim-speech",
    }),
  },
};
