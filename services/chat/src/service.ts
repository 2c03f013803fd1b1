import { watchCatalog } from "@tollgate/kit/catalog/watch";
import { createHolds } from "@tollgate/kit/metering/holds";
import { createPublisher } from "@tollgate/kit/metering/publisher";
import { createPipeline } from "@tollgate/kit/pipeline";
import { offer } from "@tollgate/kit/rpc/implementation";
import { defineService } from "@tollgate/kit/service";
import { createBreakers } from "@tollgate/kit/upstream/breaker";
import { createProviderClient } from "@tollgate/kit/upstream/provider-client";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { complete } from "./completion.ts";
import { readConfig } from "./config.ts";
import { stream } from "./stream.ts";

/** Chat completions: JSON and streamed. */
export const chat = defineService({
  name: "chat",
  async setup({ env, log, broker, peer, now }) {
    const config = readConfig(env);
    const providers = createProviderClient(env);
    const catalog = await watchCatalog(config.catalogFile, log, providers.check);
    const ledger = peer("ledger", LedgerService);
    const holds = createHolds(ledger, log);
    const publisher = createPublisher(broker, ledger, log);
    const breakers = createBreakers(() => performance.now());
    const pipeline = createPipeline({
      catalog: catalog.current,
      holds,
      publisher,
      breakers,
      log,
      now,
    });
    const implementation = offer(ChatService, {
      complete: ({ call }, context) => complete(pipeline, providers, required(call), context),
      stream: ({ call }, context) => stream(pipeline, providers, required(call), context),
    });
    return {
      offers: [implementation],
      async stop(graceMs) {
        await publisher.drain(graceMs);
        catalog.close();
        holds.stop();
        await providers.close();
      },
    };
  },
});

function required<Call>(call: Call | undefined): Call {
  if (call === undefined) throw new Error("a request carries its call");
  return call;
}
