import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { serveRoutes, serveUpgrades } from "@tollgate/http/proxied-request";
import { serveProxied } from "@tollgate/http/server";
import { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import { bindService } from "@tollgate/rpc/implementation";
import { defineService } from "@tollgate/runtime/service";
import { graceEndOf } from "./grace-end.ts";
import { createLiveServer } from "./live/server.ts";
import { speak } from "./speech.ts";
import { handleTranscription } from "./transcriptions/handler.ts";
import { listAliasVoices } from "./voices.ts";

/**
 * The audio service. It serves speech and voices over gRPC, and transcriptions over HTTP uploads and
 * WebSockets that the edge proxies.
 */
export const audio = defineService({
  name: "audio",
  async setup(context) {
    const runtime = await openProviderRuntime(context);
    const graceEnded = graceEndOf(context.shutdown);
    const live = createLiveServer(runtime, context, graceEnded);
    const server = await serveProxied(
      context.httpAddress,
      {
        request: serveRoutes(
          {
            "/v1/audio/transcriptions": (request) =>
              handleTranscription(runtime, request, graceEnded),
          },
          context,
        ),
        upgrade: serveUpgrades(live.accept, context),
      },
      context.peerAuth,
    );
    const implementation = bindService(AudioService, {
      speak: (call, cancellation) => speak(runtime, call, cancellation),
      listVoices: (request, { signal }) => listAliasVoices(runtime, request, signal),
    });
    return {
      bindings: [implementation],
      httpAddress: context.httpAddress,
      async drain(graceMs) {
        await Promise.all([server.stop(graceMs), runtime.drain(graceMs)]);
      },
      stop: runtime.stop,
    };
  },
});
