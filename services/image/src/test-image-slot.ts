import { create } from "@bufbuild/protobuf";
import { serveJson } from "@tollgate/generation/json-route";
import type { TestedCall } from "@tollgate/generation/slot-test/test-slot";
import { GenerateImagesRequestSchema } from "@tollgate/proto/tollgate/v1/image";
import { imageGeneration } from "./image-generation.ts";

/** Requests one image of the first size that the model has; see `testSlot`. */
export async function callImageSlot({
  runtime,
  model: { alias, imageSizes },
  caller,
  cancellation,
}: TestedCall): Promise<void> {
  const [size] = imageSizes?.keys() ?? [];
  const sized = size === undefined ? {} : { size };
  const body = Buffer.from(JSON.stringify({ prompt: "A dot", ...sized }));
  const call = create(GenerateImagesRequestSchema, { caller, alias, body, images: 1, ...sized });
  await serveJson(runtime, imageGeneration, call, cancellation);
}
