import { ocrLanes } from "@tollgate/catalog/model";

/** The form of OCR and of its jobs: the document service checks it, the edge describes it. */
export const ocrForm = {
  file: {
    kind: "file",
    many: true,
    about: "The document: one PDF, or images of which each is a page.",
  },
  model: {
    kind: "text",
    required: true,
    about: "The alias of a model whose `route_type` is `ocr`.",
  },
  mode: {
    kind: "text",
    options: ocrLanes,
    about: "The kind of document; where it is given, it has to be the kind that the alias reads.",
  },
  diplomatic: {
    kind: "text",
    options: ["t", "f"],
    about: "`t` asks an archival reader to keep to the letters as they are written.",
  },
  language: { kind: "text", about: "The document's language, as the model's provider names it." },
} as const;
