import { GatewayError } from "@tollgate/core/errors";
import { ocrForm } from "@tollgate/http/forms/ocr";
import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { ocrExample } from "../ocr/operation.ts";

export const createOcrJobOperation: Operation = {
  id: "createOcrJob",
  tag: "Documents",
  summary: "Create an OCR job",
  description:
    "Takes the form of `POST /v1/ocr`, for documents that take long. Read the job by its `job_id`. " +
    "It holds what it may cost until it is read as completed, which bills it, or as failed; " +
    "otherwise for 24 hours, or as long as the gateway sets for the model. The gateway then reads it " +
    "and bills it if it is completed. A budget must have all that the job may cost.",
  body: { kind: "form", name: "OcrForm", form: ocrForm, example: ocrExample },
  responses: {
    "2XX": jsonResponseDoc(
      "OcrJobCreated",
      z.looseObject({ job_id: z.union([z.string(), z.int()]).describe("The id of the job.") }),
      "The provider's response, with its status.",
      { job_id: "3099e19c-cd02-4c05-a14f-1868a6b7c901", status: "queued" },
    ),
  },
};

export const readOcrJobOperation: Operation = {
  id: "readOcrJob",
  tag: "Documents",
  summary: "Read an OCR job",
  description:
    "The first read that returns a completed job bills its pages. All other reads are free. " +
    "Available with an empty wallet, unless the job's hold has ended before it was completed: its " +
    "first read then needs its whole cost.",
  parameters: [
    {
      in: "path",
      name: "id",
      description: "The `job_id` of the job.",
      required: true,
      schema: { type: "string" },
    },
  ],
  responses: {
    200: jsonResponseDoc("OcrJob", z.looseObject({}), "The provider's response.", {
      job_id: "3099e19c-cd02-4c05-a14f-1868a6b7c901",
      status: "processing",
    }),
  },
  errors: ["not_found", "credit_balance_exhausted"],
  ownErrors: {
    not_found: new GatewayError("not_found", "This job does not exist."),
    credit_balance_exhausted: new GatewayError(
      "credit_balance_exhausted",
      "This job costs 0.020000 USD, and its hold has ended. The wallet has 0.000000 USD available, " +
        "and a budget may have less: read the job again when both have its cost.",
    ),
  },
};
