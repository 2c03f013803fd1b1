import { createHash } from "node:crypto";
import { z } from "zod";
import type { RecordedUpload } from "../call-log.ts";

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/;

const imageTypes: ReadonlySet<string> = new Set(
  ["avif", "bmp", "gif", "heic", "heif", "jpeg", "png", "tiff", "webp"].map(
    (name) => `image/${name}`,
  ),
);

/** A URL that Mistral can read: an https one, or a data URL of a type that the member takes. */
function fileUrl(isType: (type: string) => boolean) {
  return z.string().refine(
    (url) => {
      if (url.startsWith("https://")) return true;
      const [, type = "", contents = ""] = dataUrl.exec(url) ?? [];
      return isType(type) && contents !== "" && contents.length % 4 === 0;
    },
    { message: "must be an https URL, or a data URL in base64 of a type that can be read" },
  );
}

const documentUrl = fileUrl((type) => type !== "" && !type.startsWith("image/"));
const imageUrl = fileUrl((type) => imageTypes.has(type));

const document = z.union([
  z.strictObject({
    type: z.literal("document_url").optional(),
    document_url: documentUrl,
    document_name: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal("image_url").optional(),
    image_url: z.union([
      imageUrl,
      z.strictObject({ url: imageUrl, detail: z.enum(["low", "auto", "high"]).nullish() }),
    ]),
  }),
  z.strictObject({ type: z.literal("file").optional(), file_id: z.uuid() }),
]);

const annotationFormat = z.strictObject({
  type: z.literal("json_schema"),
  json_schema: z.record(z.string(), z.unknown()),
});

const members = {
  id: z.string().optional(),
  document,
  pages: z
    .union([z.string().regex(/^\d+(-\d+)?(,\d+(-\d+)?)*$/), z.array(z.int().min(0))])
    .nullish(),
  include_image_base64: z.boolean().nullish(),
  image_limit: z.int().nullish(),
  image_min_size: z.int().nullish(),
  bbox_annotation_format: annotationFormat.nullish(),
  document_annotation_format: annotationFormat.nullish(),
  document_annotation_prompt: z.string().nullish(),
  table_format: z.enum(["markdown", "html"]).nullish(),
  extract_header: z.boolean().optional(),
  extract_footer: z.boolean().optional(),
  include_blocks: z.boolean().optional(),
  confidence_scores_granularity: z.enum(["word", "page"]).nullish(),
};

/** The body of Mistral's OCR: https://docs.mistral.ai/api/endpoint/ocr */
export const mistralOcrRequest = z.strictObject({ model: z.string().min(1), ...members });
export type MistralOcrRequest = z.output<typeof mistralOcrRequest>;

/**
 * The body of a new batch job with its requests in it, of which the simulator takes one:
 * https://docs.mistral.ai/api/endpoint/batch
 */
export const mistralBatchRequest = z.strictObject({
  endpoint: z.literal("/v1/ocr"),
  model: z.string().min(1),
  requests: z
    .array(
      z.strictObject({
        custom_id: z.string().nullish(),
        body: z.strictObject({ model: z.string().nullish(), ...members }),
      }),
    )
    .length(1),
  metadata: z.record(z.string().min(1).max(32), z.string().min(1).max(512)).nullish(),
  timeout_hours: z.int().min(1).optional(),
});

/** A document in a request. */
export interface ReceivedDocument {
  contents: Buffer;
  upload: RecordedUpload;
}

/** Returns the document of a data URL; undefined for any other. */
export function receivedDocument({
  document: given,
}: Pick<MistralOcrRequest, "document">): ReceivedDocument | undefined {
  if ("file_id" in given) return undefined;
  const image = "image_url" in given ? given.image_url : given.document_url;
  const url = typeof image === "string" ? image : image.url;
  const [, contentType, base64] = dataUrl.exec(url) ?? [];
  if (contentType === undefined || base64 === undefined) return undefined;
  const contents = Buffer.from(base64, "base64");
  const sha256 = createHash("sha256").update(contents).digest("hex");
  return {
    contents,
    upload: { contentType, bytes: contents.length, sha256, lang: undefined },
  };
}
