import type { IncomingMessage } from "node:http";
import type { Model } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import { createPdfPages, packedPages } from "@tollgate/core/pdf-pages";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { readForm } from "@tollgate/http/form-fields";
import { ocrForm } from "@tollgate/http/forms/ocr";
import { setAliasHeader } from "@tollgate/http/forwarded-caller";
import { readMultipart } from "@tollgate/http/multipart";
import type { ProxiedRequest } from "@tollgate/http/proxied-request";
import { type UploadStore, withUploadStore } from "@tollgate/http/upload-store";
import { checkOcr } from "@tollgate/providers/ocr";
import type { OcrFile, OcrUpload } from "@tollgate/providers/ocr-adapter";

/** A validated OCR form and its request body. */
export interface ReceivedOcrForm extends OcrUpload {
  alias: string;
  /** The requested lane; empty when the form names none. */
  mode: string;
  /** The most pages that its files can have. */
  pages: number;
}

/** How many bytes of a file tell which type of image it is. */
const headBytes = 16;

/**
 * Reads an OCR form, names its alias in the response headers, and calls `use` with it. The form's body
 * is deleted when `use` has ended. Throws what reading the form throws, `model_not_found`, and
 * `invalid_param` for another lane than the model's, or a form that a provider of the model cannot be
 * sent.
 */
export async function withOcrForm(
  { engine }: ProviderRuntime,
  request: ProxiedRequest,
  use: (form: ReceivedOcrForm, model: Model) => Promise<void>,
): Promise<void> {
  const { req, res, caller } = request;
  await withUploadStore(request, async (store) => {
    const form = await readOcrForm(req, store);
    setAliasHeader(res, form.alias);
    const model = engine.resolve(form.alias, "ocr", caller);
    checkLane(form, model);
    checkOcr(model, form);
    await use(form, model);
  });
}

/**
 * Reads an OCR form and stores its unchanged body in `body`. Throws `unknown_param` and
 * `invalid_param`, naming the field, and what reading multipart data throws.
 */
async function readOcrForm(req: IncomingMessage, body: UploadStore): Promise<ReceivedOcrForm> {
  const read: ReadFile[] = [];
  const parts = await readMultipart(req, {
    async takeFile(_name, contents) {
      const file: ReadFile = { bytes: 0, head: Buffer.alloc(0), isPdf: false, pages: 1 };
      read.push(file);
      await readFile(file, contents);
    },
    takeChunk: (chunk) => body.write(chunk),
  });
  const { file, model, mode = "", diplomatic = "", language = "" } = readForm(parts, ocrForm);
  // All files of a valid form have the same name, and both lists have the order of the body.
  const files = file.map(({ contentType, offset }, index): OcrFile => {
    const { bytes, head, isPdf } = read[index] as ReadFile;
    return { contentType, bytes, head, isPdf, read: () => body.read(offset, bytes) };
  });
  return {
    alias: model,
    mode,
    diplomatic,
    language,
    files,
    pages: read.reduce((sum, { pages }) => sum + pages, 0),
    contentType: req.headers["content-type"] ?? "",
    bytes: body.byteLength(),
    read: () => body.read(),
  };
}

interface ReadFile extends Pick<OcrFile, "bytes" | "head" | "isPdf"> {
  /** The most pages that it can have. */
  pages: number;
}

/** Reads a file to its end, without storing it. */
async function readFile(file: ReadFile, contents: AsyncIterable<Buffer>): Promise<void> {
  const pdf = createPdfPages();
  for await (const chunk of contents) {
    if (file.head.length < headBytes) {
      file.head = Buffer.concat([file.head, chunk.subarray(0, headBytes - file.head.length)]);
    }
    file.bytes += chunk.length;
    pdf.push(chunk);
  }
  file.isPdf = pdf.isPdf();
  if (pdf.isPdf()) file.pages = pdf.count() ?? packedPages;
}

/** Throws `invalid_param` when the form requests another lane than that of its alias. */
function checkLane({ mode }: ReceivedOcrForm, { alias, ocr }: Model): void {
  if (mode === "" || mode === ocr?.lane) return;
  throw invalidParam("mode", `must be "${ocr?.lane}" for ${alias}, or left out`);
}
