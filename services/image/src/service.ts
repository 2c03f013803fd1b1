import { serveJson } from "@tollgate/generation/json-route";
import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { bindService } from "@tollgate/rpc/implementation";
import { defineService } from "@tollgate/runtime/service";
import { imageGeneration, imagesResponse } from "./image-generation.ts";

/** Image generation. */
export const image = defineService({
  name: "image",
  async setup(context) {
    const runtime = await openProviderRuntime(context);
    const implementation = bindService(ImageService, {
      async generateImages(call, cancellation) {
        const response = await serveJson(runtime, imageGeneration, call, cancellation);
        return { body: imagesResponse(response, context.now()) };
      },
    });
    return { bindings: [implementation], drain: runtime.drain, stop: runtime.stop };
  },
});
