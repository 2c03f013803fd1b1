import { z } from "zod";

export const rootSchema = z.object({
  name: z.literal("Tollgate"),
  version: z.string().describe("The version of the gateway."),
  base_url: z.string().describe("What the paths of the API begin with."),
  docs_url: z.string().describe("The API reference."),
  openapi_url: z.string().describe("The OpenAPI document."),
  health_url: z.string().describe("The health of the gateway."),
});
