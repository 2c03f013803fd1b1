import { serveJson } from "@tollgate/generation/json-route";
import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { testSlot } from "@tollgate/generation/slot-test/test-slot";
import { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { ImageTestService } from "@tollgate/proto/tollgate/v1/slot_test";
import { bindService } from "@tollgate/rpc/implementation";
import { defineService } from "@tollgate/runtime/service";
import { imageGeneration, imagesResponse } from "./image-generation.ts";
import { callImageSlot } from "./test-image-slot.ts";

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
    const tests = bindService(ImageTestService, {
      testImageSlot: async ({ test }, cancellation) => ({
        result: await testSlot(runtime, test, cancellation, callImageSlot),
      }),
    });
    return { bindings: [implementation, tests], drain: runtime.drain, stop: runtime.stop };
  },
});
