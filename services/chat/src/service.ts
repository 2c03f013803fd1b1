import { serveJson } from "@tollgate/kit/json-route";
import { openModality } from "@tollgate/kit/modality";
import { offer } from "@tollgate/kit/rpc/implementation";
import { defineService } from "@tollgate/kit/service";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { complete } from "./completion.ts";
import { embeddings } from "./embeddings.ts";
import { stream } from "./stream.ts";

/** Chat completions, JSON and streamed, and embeddings. */
export const chat = defineService({
  name: "chat",
  async setup(context) {
    const modality = await openModality(context);
    const implementation = offer(ChatService, {
      complete: ({ call }, { signal }) => complete(modality, required(call), signal),
      stream: ({ call }, { signal }) => stream(modality, required(call), signal),
      async embed(call, { signal }) {
        const { bytes } = await serveJson(modality, embeddings, call, signal);
        return { body: bytes };
      },
    });
    return { offers: [implementation], stop: modality.stop };
  },
});

function required<Call>(call: Call | undefined): Call {
  if (call === undefined) throw new Error("a request carries its call");
  return call;
}
