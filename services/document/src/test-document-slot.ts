import { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { serveJson } from "@tollgate/generation/json-route";
import type { TestedCall } from "@tollgate/generation/slot-test/test-slot";
import { ClassifyRequestSchema, RerankRequestSchema } from "@tollgate/proto/tollgate/v1/document";
import { checkOcr } from "@tollgate/providers/ocr";
import type { OcrUpload } from "@tollgate/providers/ocr-adapter";
import { classification } from "./classification.ts";
import { recognizeDocument } from "./ocr/recognize-document.ts";
import { rerank } from "./rerank.ts";

const text = "Hi";
const headBytes = 16;
const boundary = "tollgate-test";

/** Makes the smallest request of a rerank, classification or OCR model; see `testSlot`. */
export async function callDocumentSlot(call: TestedCall): Promise<void> {
  const { runtime, model, caller, cancellation } = call;
  const { alias } = model;
  if (model.routeType === "rerank") {
    const body = Buffer.from(JSON.stringify({ query: text, documents: [text] }));
    const request = create(RerankRequestSchema, { caller, alias, body, documents: 1 });
    await serveJson(runtime, rerank, request, cancellation);
    return;
  }
  if (model.routeType === "classification") {
    const types = model.classification?.lane === "entities" ? { types: ["person"] } : {};
    const body = Buffer.from(JSON.stringify({ input: text, ...types }));
    const sizes = { inputs: 1, mostPages: 1n };
    const request = create(ClassifyRequestSchema, { caller, alias, body, ...sizes });
    await serveJson(runtime, classification, request, cancellation);
    return;
  }
  const form = formOf(alias, pdfOf(text));
  checkOcr(model, form);
  await recognizeDocument(runtime, { form: { ...form, pages: 1 }, model, caller, cancellation });
}

function formOf(alias: string, pdf: Buffer): OcrUpload {
  const field = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${alias}\r\n`;
  const disposition = 'content-disposition: form-data; name="file"; filename="test.pdf"';
  const type = "content-type: application/pdf";
  const bytes = Buffer.concat([
    Buffer.from(`${field}--${boundary}\r\n${disposition}\r\n${type}\r\n\r\n`),
    pdf,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const file = {
    contentType: "application/pdf",
    head: pdf.subarray(0, headBytes),
    isPdf: true,
    bytes: pdf.length,
    read: () => Readable.from([pdf]),
  };
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: bytes.length,
    read: () => Readable.from([bytes]),
    files: [file],
    diplomatic: "",
    language: "",
  };
}

/** Returns a PDF of one page with a line of text. */
function pdfOf(line: string): Buffer {
  const content = `BT /F1 24 Tf 20 50 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const start = text.length;
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${rows.join("")}`;
  text += `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
