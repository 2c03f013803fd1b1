import { ocrLanes } from "@tollgate/catalog/model";

/** The form of OCR and of OCR jobs: the document service validates it, the edge describes it. */
export const ocrForm = {
  file: {
    kind: "file",
    many: true,
    about: "The document: one PDF, or one or more images, each of them a page.",
  },
  model: {
    kind: "text",
    required: true,
    about: "The alias of a model whose `route_type` is `ocr`.",
  },
  mode: {
    kind: "text",
    options: ocrLanes,
    about: "The kind of document. It must be the lane of the alias.",
  },
  diplomatic: {
    kind: "text",
    options: ["t", "f"],
    about: "`t` keeps the spelling of an archival document as it is written.",
  },
  language: {
    kind: "text",
    about: "The language of the document, as the provider of the model names it.",
  },
} as const;
