import { ocrForm } from "@tollgate/http/forms/ocr";
import { z } from "zod";
import { jsonResponse, type Operation } from "../../openapi/operation.ts";

export const createOcrJobOperation: Operation = {
  id: "createOcrJob",
  tag: "Documents",
  summary: "Create an OCR job",
  description:
    "Takes the form of `POST /v1/ocr`, for documents that take long. Read the job by its `job_id`. " +
    "It is billed when it is first read as completed.",
  body: { kind: "form", name: "OcrForm", form: ocrForm },
  responses: {
    "2XX": jsonResponse(
      "OcrJobCreated",
      z.looseObject({ job_id: z.union([z.string(), z.int()]).describe("The id of the job.") }),
      "The provider's response, with its status.",
    ),
  },
};

export const readOcrJobOperation: Operation = {
  id: "readOcrJob",
  tag: "Documents",
  summary: "Read an OCR job",
  description:
    "The first read that returns a completed job bills its pages. All other reads are free. " +
    "Available with an empty wallet.",
  parameters: [
    {
      in: "path",
      name: "id",
      description: "The `job_id` of the job.",
      required: true,
      schema: { type: "string" },
    },
  ],
  responses: { 200: jsonResponse("OcrJob", z.looseObject({}), "The provider's response.") },
  errors: ["not_found"],
};
