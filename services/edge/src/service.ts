import { serviceUnavailable } from "@tollgate/core/errors";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { vendors } from "@tollgate/providers";
import { openDatabase } from "@tollgate/runtime/database/pool";
import {
  defineService,
  type ServiceContext,
  type ServiceName,
  serviceNames,
} from "@tollgate/runtime/service";
import manifest from "../package.json" with { type: "json" };
import { createEdgeApp } from "./app.ts";
import { createAuthenticate, findKeyErrors } from "./auth/authenticate.ts";
import { createBalanceGuard } from "./auth/balance-guard.ts";
import { createFreeCalls } from "./auth/free-calls.ts";
import { watchRevocations } from "./auth/revocations.ts";
import { createAdvertisedRates } from "./billable/advertised-rates.ts";
import { readEdgeConfig } from "./config.ts";
import { createContents } from "./contents/contents.ts";
import { createBodySpace } from "./http/body-space.ts";
import { createConnectionRefusals } from "./http/connection-refusals.ts";
import { sendBodyTimeout } from "./http/error-response.ts";
import { createPendingRequests } from "./http/pending-requests.ts";
import type { RequestContext } from "./http/request-context.ts";
import { listenForClients } from "./http/server.ts";
import { createUpgrades, type UpgradeHandler } from "./http/upgrades.ts";
import { createLeases } from "./idempotency/leases.ts";
import { createRecords } from "./idempotency/records.ts";
import { createDocument } from "./openapi/document.ts";
import { createServiceProxy } from "./proxy/service-proxy.ts";
import { createClientAddress } from "./refusals/client-address.ts";
import { createRefusals } from "./refusals/refusals.ts";
import type { RouteDependencies } from "./routes/dependencies.ts";
import { routes } from "./routes/index.ts";
import { edgeSchema } from "./schema.ts";
import { traceProxy, traceUpgrades } from "./trace-requests.ts";

/** The public service of the fleet: the only one that clients connect to. */
export const edge = defineService({
  name: "edge",
  async setup(context) {
    const { env, log, metrics, migrates, peer, notices, openCatalog, shutdown, now } = context;
    const config = readEdgeConfig(env);
    const catalog = await openCatalog({ kinds: vendors, client: peer("billing", CatalogService) });
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: edgeSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
    });
    const records = createRecords(pool, { quotaBytes: config.storedResponsesBytes });
    const leases = createLeases(records, log);
    const services = clientsOf(peer);
    const { billing } = services;
    const clientAddressOf = createClientAddress(config.proxies);
    const refusals = createRefusals({ billing, log, clientAddressOf, now });
    const contents = createContents({ billing, log, isTraced: config.tracesContent });
    const proxies = createProxies(context);
    const dependencies: RouteDependencies = {
      log,
      metrics,
      authenticate: createAuthenticate(billing, notices, { metrics, now }),
      balance: createBalanceGuard(billing),
      freeCalls: createFreeCalls({ metrics, nowMs: () => performance.now() }),
      bodies: createBodySpace(config.bodiesBytes, (bytes) => metrics.bodyBytes.set(bytes)),
      revocations: watchRevocations(notices, (keyHashes) => findKeyErrors(billing, keyHashes)),
      advertised: createAdvertisedRates(() => catalog.current().limits, Date.now),
      ...{ leases, contents },
      maxResponseMs: config.maxResponseMs,
      records,
      services,
      health: healthClientsOf(peer),
      proxies,
      catalog: catalog.current,
      isModelListed: catalog.isListed,
      openApiDocument: () => createDocument(routes),
      version: manifest.version,
      uptimeSeconds: () => process.uptime(),
    };
    const knows = (alias: string) => catalog.current().models.has(alias);
    const pending = createPendingRequests<RequestContext>({
      leaving: shutdown.leaving,
      onBodyTimeout: sendBodyTimeout,
    });
    const recording = { log, metrics, refusals };
    const { corsOrigins } = config;
    const app = createEdgeApp(routes, dependencies, { ...recording, knows, pending, corsOrigins });
    const upgrades = createUpgrades(upgradeHandlers(dependencies), recording);
    const connectionRefusals = createConnectionRefusals(recording);
    const server = await listenForClients(app, traceUpgrades(upgrades), connectionRefusals, config);
    log.info({ url: server.url }, "listening");
    return {
      bindings: [],
      url: server.url,
      drain: (graceMs) => server.stop(graceMs, () => pending.forEach(endStopped)),
      async stop(graceMs) {
        await pending.stop();
        await Promise.all([refusals.stop(), contents.stop()]);
        await leases.stop(graceMs);
        await pool.end();
        proxies.audio.close();
        proxies.document.close();
      },
    };
  },
});

/** The gateway ends a request, and not its client: its call is not charged. */
function endStopped(context: RequestContext): void {
  context.end(serviceUnavailable());
}

function createProxies({ httpPeer, peerAuth, log }: ServiceContext): RouteDependencies["proxies"] {
  const proxyTo = (owner: ServiceName) =>
    traceProxy(createServiceProxy(httpPeer(owner), peerAuth, log));
  return { audio: proxyTo("audio"), document: proxyTo("document") };
}

function healthClientsOf(peer: ServiceContext["peer"]): RouteDependencies["health"] {
  const others = serviceNames.filter((name) => name !== "edge" && name !== "console");
  return Object.fromEntries(others.map((name) => [name, peer(name, Health)]));
}

function clientsOf(peer: ServiceContext["peer"]): RouteDependencies["services"] {
  return {
    audio: peer("audio", AudioService),
    billing: peer("billing", BillingService),
    chat: peer("chat", ChatService),
    conversations: peer("chat", ConversationService),
    document: peer("document", DocumentService),
    image: peer("image", ImageService),
  };
}

function upgradeHandlers(dependencies: RouteDependencies): ReadonlyMap<string, UpgradeHandler> {
  return new Map(
    routes.flatMap(({ path, createUpgradeHandler }) =>
      createUpgradeHandler === undefined ? [] : [[path, createUpgradeHandler(dependencies)]],
    ),
  );
}
