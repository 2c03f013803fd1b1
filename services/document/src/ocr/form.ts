import type { IncomingMessage } from "node:http";
import type { Model } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { readForm } from "@tollgate/http/form-fields";
import { ocrForm } from "@tollgate/http/forms/ocr";
import { setAliasHeader } from "@tollgate/http/forwarded-caller";
import { readMultipart } from "@tollgate/http/multipart";
import type { ProxiedRequest } from "@tollgate/http/proxied-request";
import { type UploadStore, withUploadStore } from "@tollgate/http/upload-store";
import { createPdfPages } from "./pdf-pages.ts";

/** A validated OCR form and its request body. */
export interface OcrForm {
  alias: string;
  /** The requested lane; empty when the form names none. */
  mode: string;
  fileParts: number;
  /** The most pages that its files can have. */
  pages: number;
  body: UploadStore;
  contentType: string;
}

/** The pages assumed for a document whose pages cannot be counted. */
const unreadablePages = 100;

/**
 * Reads an OCR form, names its alias in the response headers, and calls `use` with it. The form's body
 * is deleted when `use` has ended. Throws what reading the form throws, `model_not_found`, and
 * `invalid_param` for another lane than the model's.
 */
export async function withOcrForm(
  { engine }: ProviderRuntime,
  request: ProxiedRequest,
  use: (form: OcrForm, model: Model) => Promise<void>,
): Promise<void> {
  const { req, res, caller } = request;
  await withUploadStore(request, async (store) => {
    const form = await readOcrForm(req, store);
    setAliasHeader(res, form.alias);
    const model = engine.resolve(form.alias, "ocr", caller);
    checkLane(form, model);
    await use(form, model);
  });
}

/**
 * Reads an OCR form and stores its unchanged body in `body`. Throws `unknown_param` and
 * `invalid_param`, naming the field, and what reading multipart data throws.
 */
async function readOcrForm(req: IncomingMessage, body: UploadStore): Promise<OcrForm> {
  let pages = 0;
  const parts = await readMultipart(req, {
    async takeFile(name, contents) {
      const pdf = createPdfPages();
      for await (const chunk of contents) pdf.push(chunk);
      if (name === "file") pages += pdf.isPdf ? (pdf.count() ?? unreadablePages) : 1;
    },
    takeChunk: (chunk) => body.write(chunk),
  });
  const { file, model, mode = "" } = readForm(parts, ocrForm);
  const contentType = req.headers["content-type"] ?? "";
  return { alias: model, mode, fileParts: file.length, pages, body, contentType };
}

/** Throws `invalid_param` when the form requests another lane than that of its alias. */
function checkLane({ mode }: OcrForm, { alias, ocr }: Model): void {
  if (mode === "" || mode === ocr?.lane) return;
  throw invalidParam("mode", `must be "${ocr?.lane}" for ${alias}, or left out`);
}
