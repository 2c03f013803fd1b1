import { z } from "zod";
import type { Operation } from "../../openapi/operation.ts";

export const getDocsOperation: Operation = {
  id: "getDocs",
  tag: "Gateway",
  summary: "Get the API reference",
  responses: {
    200: { description: "An HTML page.", content: { "text/html": { schema: z.string() } } },
  },
};
