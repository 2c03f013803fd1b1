import { randomUUID } from "node:crypto";
import { named, type RawForm, rawForm } from "./raw-form.ts";

/** A field of an OCR request, or a file. */
export interface OcrPart {
  name: string;
  contents: string | Buffer;
  /** Its content type, which makes it a file. */
  type?: string;
}

/** Returns a form with punctuation in its boundary and non-ASCII file names. */
export function rawOcrForm(parts: readonly OcrPart[]): RawForm {
  const raw = parts.map(({ name, contents, type }) => {
    const file = type === undefined ? "" : `; filename="ä.bin"\r\nContent-Type: ${type}`;
    return { head: named(name, file), contents };
  });
  return rawForm(raw, `----odd'boundary${randomUUID()}`);
}

export const imageFile: OcrPart = {
  name: "file",
  contents: "\u0089PNG and so on",
  type: "image/png",
};

export function pdf(pages: number): OcrPart {
  const objects = Array.from(
    { length: pages },
    (_, n) => `${n} 0 obj <</Type /Page /Parent 9>> endobj`,
  );
  const tree = `9 0 obj <</Type/Pages /Kids [] /Count ${pages}>> endobj`;
  const contents = ["%PDF-1.4", ...objects, "x".repeat(70_000), tree, "%%EOF"].join("\n");
  return { name: "file", contents, type: "application/pdf" };
}

export function modelField(alias: string): OcrPart {
  return { name: "model", contents: alias };
}
