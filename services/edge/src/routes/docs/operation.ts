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

export const getDocsFileOperation: Operation = {
  id: "getDocsFile",
  tag: "Gateway",
  summary: "Get a file of the API reference",
  parameters: [
    {
      in: "path",
      name: "file",
      description: "The name of the file.",
      required: true,
      schema: { type: "string" },
    },
  ],
  responses: {
    200: { description: "A script.", content: { "text/javascript": { schema: z.string() } } },
    304: { description: "The client has the file." },
  },
  errors: ["not_found"],
  // The page does not list its own files.
  extensions: { "x-internal": true },
};
