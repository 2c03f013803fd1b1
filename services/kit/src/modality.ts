import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { z } from "zod";
import { watchCatalog } from "./catalog/watch.ts";
import { readSettings } from "./config.ts";
import { createHolds } from "./metering/holds.ts";
import { createPublisher } from "./metering/publisher.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import type { ServiceContext } from "./service.ts";
import { createBreakers } from "./upstream/breaker.ts";
import { createProviderClient, type ProviderClient } from "./upstream/provider-client.ts";

/** What every service that calls model providers stands on. */
export interface Modality {
  pipeline: Pipeline;
  providers: ProviderClient;
  /** Waits for usage events on their way, `graceMs` at most, and lets go of everything. */
  stop(graceMs: number): Promise<void>;
}

/** Opens it. Raises a StartError for a catalog or an environment that will not do. */
export async function openModality(context: ServiceContext): Promise<Modality> {
  const { env, log, broker, peer, now } = context;
  const providers = createProviderClient(env);
  const { TOLLGATE_CATALOG: file } = readSettings(schema, env);
  const catalog = await watchCatalog(file, log, providers.check);
  const ledger = peer("ledger", LedgerService);
  const holds = createHolds(ledger, log);
  const publisher = createPublisher(broker, ledger, log);
  const breakers = createBreakers(() => performance.now());
  const parts = { catalog: catalog.current, holds, publisher, breakers, log, now };
  return {
    pipeline: createPipeline(parts),
    providers,
    async stop(graceMs) {
      await publisher.drain(graceMs);
      catalog.close();
      holds.stop();
      await providers.close();
    },
  };
}

const schema = z.object({ TOLLGATE_CATALOG: z.string() });
