import { join } from "node:path";
import { type Catalog, secretNamesOf } from "@tollgate/catalog/model";
import { integerSetting, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { readOptionalSecretsKey } from "@tollgate/core/secrets-key";
import { usageBrokerOf } from "@tollgate/metering/broker/usage-broker";
import { createChargeLookup } from "@tollgate/metering/charge-lookup";
import { createHolds } from "@tollgate/metering/holds/holds";
import { openEventLog } from "@tollgate/metering/outbox/event-log";
import { RunningRequests } from "@tollgate/metering/outbox/running-requests";
import { createPublisher } from "@tollgate/metering/usage-publisher";
import { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import { vendors } from "@tollgate/providers";
import type { ServiceContext } from "@tollgate/runtime/service";
import { type Breakers, createBreakers } from "@tollgate/upstream/breaker";
import type { ReportLateRefresh } from "@tollgate/upstream/identities";
import { createProviderClient, type ProviderClient } from "@tollgate/upstream/provider-client";
import { ProviderRequestIds } from "@tollgate/upstream/provider-request-ids";
import { requireVariables } from "@tollgate/upstream/provider-variables";
import type { SecretValues } from "@tollgate/upstream/secret-values";
import { requireTlsFiles } from "@tollgate/upstream/tls-files";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import { FleetSlotUses } from "./fleet-slot-uses.ts";
import { reportBreakers } from "./report-breakers.ts";
import { createRunningGenerations } from "./running-generations.ts";
import { type SecretSync, syncSecrets } from "./secret-sync.ts";
import { syncSlots } from "./slot-sync.ts";

/** The parts that every service needs to call model providers. */
export interface ProviderRuntime {
  engine: Engine;
  providers: ProviderClient;
  /** Returns the catalog in use. */
  catalog(): Catalog;
  /** Creates another client, which reads stored keys from `secrets`. Its caller closes it. */
  clientWith(secrets: SecretValues): ProviderClient;
  /** Waits up to `graceMs` for generations, also those whose clients left; see `RunningGenerations`. */
  drain(graceMs: number): Promise<void>;
  /** Waits up to `graceMs` for the delivery of usage events, and closes everything. */
  stop(graceMs: number): Promise<void>;
}

/** Starts the parts. Throws a StartError for a catalog or an environment that is not valid. */
export async function openProviderRuntime(context: ServiceContext): Promise<ProviderRuntime> {
  const { name, env, log, peer, metrics, now } = context;
  const usageBroker = usageBrokerOf(context.broker, context.peerAuth);
  const settings = readSettings(schema, env);
  const breakers = createBreakers(() => performance.now(), reportBreakers(log, metrics), env);
  const freeBreakers = createBreakers(() => performance.now(), undefined, env);
  const secrets = readSecrets(context, [breakers, freeBreakers]);
  const catalog = await context.openCatalog({
    kinds: vendors,
    client: peer("billing", CatalogService),
    check(one) {
      requireVariables(one, env);
      requireTlsFiles(one);
    },
    checkRevision: (one) => requireSecrets(one, secrets),
  });
  if (secretNamesOf(catalog.current()).size > 0) await secrets.firstRead;
  const requestIds = new ProviderRequestIds();
  const providers = createProviderClient(env, secrets.values, requestIds, reportLateRefresh(log));
  const eventLog = await openEventLog(join(settings.TOLLGATE_SPOOL_DIR, name), log);
  const ledger = peer("ledger", LedgerService);
  const runningRequests = new RunningRequests(eventLog, log, now);
  const busyFrom = settings.TOLLGATE_SHARE_HOLDS_FROM;
  const holds = createHolds({ ledger, log, metrics, runningRequests, busyFrom });
  const missingAfterMs = settings.TOLLGATE_MISSING_AFTER_SECONDS * 1_000;
  const publisher = createPublisher({
    usageBroker,
    ledger,
    eventLog,
    log,
    metrics,
    missingAfterMs,
  });
  const slots = await syncSlots({
    ...{ slots: peer("ledger", SlotService), breakers, freeBreakers, env, log },
    catalog: catalog.current,
  });
  const slotUses = new FleetSlotUses(peer("ledger", SlotService), log);
  const running = createRunningGenerations();
  const metering = { holds, publisher, charges: createChargeLookup(ledger), metrics };
  return {
    engine: createEngine({
      catalog: catalog.current,
      isCatalogNewest: catalog.isNewest,
      ...metering,
      running,
      ...{ breakers, freeBreakers, isDisabled: slots.isDisabled },
      slotUses,
      redact: providers.redact,
      requestIds,
      log,
      now,
    }),
    providers,
    catalog: catalog.current,
    clientWith: (values) => createProviderClient(env, values),
    drain: running.drain,
    async stop(graceMs) {
      slots.stop();
      slotUses.stop();
      secrets.stop();
      const sharingEnded = holds.stopSharing();
      await publisher.stop(graceMs);
      await sharingEnded;
      holds.stop();
      await providers.close();
    },
  };
}

/** Reads the stored keys of providers. Each of the breakers hears which have changed. */
function readSecrets(
  { env, log, peer, notices }: ServiceContext,
  breakers: readonly Breakers[],
): SecretSync {
  return syncSecrets({
    ...{ secrets: peer("billing", SecretService), key: readOptionalSecretsKey(env), notices, log },
    onChange(name) {
      for (const one of breakers) one.secretChanged(name);
    },
  });
}

function reportLateRefresh(log: Log): ReportLateRefresh {
  return (provider, identity, reason) =>
    log.warn({ provider, identity, reason }, "the credentials of an identity are not renewed yet");
}

/** Rejects with a StartError that names the first secret of a catalog without a value. */
async function requireSecrets(catalog: Catalog, { values, refresh }: SecretSync): Promise<void> {
  const names = secretNamesOf(catalog);
  await refresh(names);
  for (const name of names) {
    const problem = values.problemOf(name);
    if (problem !== undefined) throw new StartError(problem);
  }
}

const schema = z.object({
  TOLLGATE_SPOOL_DIR: z.string().default(".data/spool"),
  TOLLGATE_MISSING_AFTER_SECONDS: integerSetting({ min: 1, max: 3_600, default: 30 }),
  TOLLGATE_SHARE_HOLDS_FROM: integerSetting({ min: 0, max: 1_000_000, default: 16 }),
});
