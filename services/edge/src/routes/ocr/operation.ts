import { ocrForm } from "@tollgate/http/forms/ocr";
import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";

/** The form of a document, and of a job. */
export const ocrExample = { file: "@page.png", model: "demo-ocr" };

export const readDocumentOperation: Operation = {
  id: "readDocument",
  tag: "Documents",
  summary: "Read a document (OCR)",
  description:
    "The form is sent to the provider unchanged, or translated for a provider of another kind. It is " +
    "billed by page.",
  body: { kind: "form", name: "OcrForm", form: ocrForm, example: ocrExample },
  responses: {
    200: jsonResponseDoc("OcrResponse", z.looseObject({}), "The provider's response.", {
      text: "simulated text",
    }),
  },
};
