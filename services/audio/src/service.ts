import { openProviderRuntime } from "@tollgate/generation/provider-runtime";
import { testSlot } from "@tollgate/generation/slot-test/test-slot";
import { serveRoutes, serveUpgrades } from "@tollgate/http/proxied-request";
import { serveProxied } from "@tollgate/http/server";
import { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import { AudioTestService } from "@tollgate/proto/tollgate/v1/slot_test";
import { bindService } from "@tollgate/rpc/implementation";
import { defineService } from "@tollgate/runtime/service";
import { graceEndOf } from "./grace-end.ts";
import { createLiveServer } from "./live/server.ts";
import { speak } from "./speech.ts";
import { callAudioSlot } from "./test-audio-slot.ts";
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
    const tests = bindService(AudioTestService, {
      testAudioSlot: async ({ test }, cancellation) => ({
        result: await testSlot(runtime, test, cancellation, callAudioSlot),
      }),
    });
    return {
      bindings: [implementation, tests],
      httpAddress: context.httpAddress,
      async drain(graceMs) {
        await Promise.all([server.stop(graceMs), runtime.drain(graceMs)]);
      },
      stop: runtime.stop,
    };
  },
});
