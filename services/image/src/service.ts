import { serveJson } from "@tollgate/kit/json-route";
import { openModality } from "@tollgate/kit/modality";
import { offer } from "@tollgate/kit/rpc/implementation";
import { defineService } from "@tollgate/kit/service";
import { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { generation, imagesAnswer } from "./generation.ts";

/** Image generation. */
export const image = defineService({
  name: "image",
  async setup(context) {
    const modality = await openModality(context);
    const implementation = offer(ImageService, {
      async generateImages(call, { signal }) {
        const answer = await serveJson(modality, generation, call, signal);
        return { body: imagesAnswer(answer, context.now()) };
      },
    });
    return { offers: [implementation], stop: modality.stop };
  },
});
