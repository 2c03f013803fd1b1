import { ocrForm } from "@tollgate/http/forms/ocr";
import { z } from "zod";
import { type FormBody, jsonAnswer } from "../openapi/operation.ts";
import { uploadOperation } from "../openapi/upload-operation.ts";

const body: FormBody = { kind: "form", name: "OcrForm", form: ocrForm };

export const ocrOperation = uploadOperation({
  id: "readDocument",
  tag: "Documents",
  summary: "Read a document (OCR)",
  about: "The form goes to the provider byte for byte, and is billed by its pages.",
  body,
  answers: {
    200: jsonAnswer("OcrAnswer", z.looseObject({}), "The provider's answer as it came."),
  },
});

export const createOcrJobOperation = uploadOperation({
  id: "createOcrJob",
  tag: "Documents",
  summary: "Create an OCR job",
  about:
    "The same form, for documents that take long. Ask how the job stands by its `job_id`; it is " +
    "billed once it is seen to be done.",
  body,
  answers: {
    "2XX": jsonAnswer(
      "OcrJobCreated",
      z.looseObject({ job_id: z.union([z.string(), z.int()]).describe("The job's id.") }),
      "The provider's answer as it came, with its status.",
    ),
  },
});
