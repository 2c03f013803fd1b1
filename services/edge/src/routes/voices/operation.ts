import { z } from "zod";
import { jsonResponse, modelParameter, type Operation } from "../../openapi/operation.ts";

export const listVoicesOperation: Operation = {
  id: "listVoices",
  tag: "Audio",
  summary: "List the voices of a speech model",
  description: "Free of charge, and available with an empty wallet.",
  parameters: [modelParameter("speech")],
  responses: { 200: jsonResponse("Voices", z.unknown(), "The provider's list of voices.") },
  errors: [
    "unknown_param",
    "invalid_param",
    "model_not_found",
    "upstream_rejected",
    "no_provider_available",
  ],
};
