import type { Slot } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import { imageTypeOf } from "../image-type.ts";
import { jsonWithFile } from "../json-with-file.ts";
import { notSupported } from "../not-supported.ts";
import type { OcrCall, OcrFile, OcrUpload } from "../ocr-adapter.ts";

/**
 * The images of https://docs.mistral.ai/studio-api/document-processing/basic_ocr. Mistral also reads
 * texts and office documents, whose pages the gateway cannot count before it holds money.
 */
const imageTypes: ReadonlySet<string> = new Set([
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/heic",
  "image/heif",
  "image/jpeg",
  "image/png",
  "image/tiff",
  "image/webp",
]);

/** Throws `invalid_param` for a form that is not one PDF or one image, or has more than that. */
export function checkDocument({ files, diplomatic, language }: OcrUpload): void {
  if (diplomatic !== "") throw notSupported("diplomatic");
  if (language !== "") throw notSupported("language");
  // https://docs.mistral.ai/api/endpoint/ocr: `document`.
  if (files.length > 1) throw invalidParam("file", "must be sent once for this model");
  if (mediaTypeOf(files[0] as OcrFile) !== undefined) return;
  const names = [...imageTypes].map((type) => type.replace("image/", "")).join(", ");
  throw invalidParam("file", `must be a PDF or an image (${names}) for this model`);
}

/**
 * Posts a JSON body with the file of a form, as a document of Mistral's API. Resolves with the JSON of
 * the response.
 */
export async function postDocument(
  providers: ProviderClient,
  slot: Slot,
  { path, bodyOf }: { path: string; bodyOf: (document: JsonObject) => JsonObject },
  { files }: OcrUpload,
  { requestId, signal }: OcrCall,
): Promise<{ bytes: Uint8Array; value: JsonObject }> {
  const file = files[0] as OcrFile;
  const type = mediaTypeOf(file) ?? file.contentType;
  const member = type === "application/pdf" ? "document_url" : "image_url";
  const { headers, body } = jsonWithFile(file, type, (url) =>
    bodyOf({ type: member, [member]: url }),
  );
  const request = {
    method: "POST",
    path,
    headers: { accept: "application/json", ...headers, ...requestIdHeader(requestId) },
    body,
  } as const;
  const read = await readJsonObject(await providers.send(slot, request, signal), signal);
  refuseReportedError(read.value, slot.provider.kind);
  return read;
}

/** Returns the type of a file: by its first bytes, or as the form declares that of an image. */
function mediaTypeOf({ isPdf, head, contentType }: OcrFile): string | undefined {
  if (isPdf) return "application/pdf";
  const [declared = ""] = contentType.toLowerCase().split(/\s*;/);
  const named = declared === "image/jpg" ? "image/jpeg" : declared;
  return imageTypeOf(head) ?? (imageTypes.has(named) ? named : undefined);
}
