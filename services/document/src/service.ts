import { serveJson } from "@tollgate/kit/json-route";
import { openModality } from "@tollgate/kit/modality";
import { offer } from "@tollgate/kit/rpc/implementation";
import { defineService } from "@tollgate/kit/service";
import { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { classification } from "./classification.ts";
import { rerank } from "./rerank.ts";

/** What is done with documents: rerank and classification. */
export const document = defineService({
  name: "document",
  async setup(context) {
    const modality = await openModality(context);
    const implementation = offer(DocumentService, {
      async rerank(call, { signal }) {
        const { bytes } = await serveJson(modality, rerank, call, signal);
        return { body: bytes };
      },
      async classify(call, { signal }) {
        const { bytes } = await serveJson(modality, classification, call, signal);
        return { body: bytes };
      },
    });
    return { offers: [implementation], stop: modality.stop };
  },
});
