import { watchCatalog } from "@tollgate/catalog/watch";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { ConversationService } from "@tollgate/proto/tollgate/v1/conversation";
import { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { ImageService } from "@tollgate/proto/tollgate/v1/image";
import { openDatabase } from "@tollgate/runtime/database/pool";
import { defineService, type ServiceName, serviceNames } from "@tollgate/runtime/service";
import manifest from "../package.json" with { type: "json" };
import { createApp } from "./app.ts";
import { createAuthenticate } from "./auth.ts";
import { type BillableRoute, billable } from "./billable.ts";
import { readConfig } from "./config.ts";
import type { Route } from "./exchange.ts";
import { createBalanceGuard } from "./guard.ts";
import { createClaims } from "./idempotency/claims.ts";
import { createRecords } from "./idempotency/records.ts";
import { createDocument } from "./openapi/document.ts";
import { createServiceProxy } from "./proxy.ts";
import { createRateWindows } from "./rate-windows.ts";
import { watchRevocations } from "./revocations.ts";
import { edgeSchema } from "./schema.ts";
import { listen } from "./server.ts";
import { traceProxy, traceUpgrades } from "./trace-requests.ts";
import { chatCompletions } from "./wire/chat.ts";
import { classification } from "./wire/classification.ts";
import {
  deleteConversation,
  deleteConversations,
  getConversation,
  listConversations,
} from "./wire/conversations.ts";
import { getCredits } from "./wire/credits.ts";
import { embeddings } from "./wire/embeddings.ts";
import { getHealth } from "./wire/health.ts";
import { images } from "./wire/images.ts";
import { refuseWithoutUpgrade, upgradeLive } from "./wire/live-transcription.ts";
import { getModel, listModels } from "./wire/models.ts";
import { readOcrJob } from "./wire/ocr-jobs.ts";
import { getDocs, getOpenApi } from "./wire/reference.ts";
import { rerank } from "./wire/rerank.ts";
import { lookUpSettlement } from "./wire/settlement.ts";
import { speech } from "./wire/speech.ts";
import { upload } from "./wire/uploads.ts";
import { listVoices } from "./wire/voices.ts";
import { withoutProvider } from "./without-provider.ts";

/** The face of the fleet: the only service that clients talk to. */
export const edge = defineService({
  name: "edge",
  async setup({ env, log, metrics, migrates, peer, httpPeer, peerAuth, notices }) {
    const config = readConfig(env);
    const catalog = await watchCatalog(config.catalogFile, log);
    const billing = peer("billing", BillingService);
    const authenticate = createAuthenticate(billing, notices);
    const rates = createRateWindows(() => catalog.current().limits, Date.now);
    const guard = createBalanceGuard(billing);
    const peers = serviceNames.filter((name) => name !== "edge");
    const health = Object.fromEntries(peers.map((name) => [name, peer(name, Health)]));
    const models = { authenticate, catalog: catalog.current };
    const pool = await openDatabase({
      url: config.databaseUrl,
      schema: edgeSchema,
      migrates,
      maxConnections: config.databaseConnections,
      log,
    });
    const records = createRecords(pool);
    const claims = createClaims(records, log);
    const conversations = peer("chat", ConversationService);
    const stored = { authenticate, conversations, records };
    const document = peer("document", DocumentService);
    const chat = peer("chat", ChatService);
    const audio = peer("audio", AudioService);
    const proxyTo = (owner: ServiceName) =>
      traceProxy(createServiceProxy(httpPeer(owner), peerAuth, log));
    const audioProxy = proxyTo("audio");
    const documentProxy = proxyTo("document");
    const own = (route: Route) => withoutProvider(route, log);
    const serve = (route: BillableRoute) => billable({ authenticate, guard, claims }, route);
    const app = createApp(
      {
        chatCompletions: serve(chatCompletions(chat, rates)),
        embeddings: serve(embeddings(chat)),
        rerank: serve(rerank(document)),
        classification: serve(classification(document, catalog.current)),
        imageGenerations: serve(images(peer("image", ImageService))),
        speech: serve(speech(audio)),
        listVoices: listVoices(authenticate, audio),
        transcriptions: upload({ authenticate, guard }, audioProxy),
        liveTranscription: own(refuseWithoutUpgrade(authenticate)),
        ocr: upload({ authenticate, guard }, documentProxy),
        createOcrJob: upload({ authenticate, guard }, documentProxy),
        readOcrJob: readOcrJob(authenticate, document),
        listConversations: own(listConversations(stored)),
        deleteConversations: own(deleteConversations(stored)),
        getConversation: own(getConversation(stored)),
        deleteConversation: own(deleteConversation(stored)),
        listModels: own(listModels(models)),
        getModel: own(getModel(models)),
        getCredits: own(getCredits(authenticate, billing)),
        lookUpSettlement: own(lookUpSettlement(authenticate, billing)),
        getHealth: getHealth(health, manifest.version, () => process.uptime()),
        getOpenApi: getOpenApi(createDocument),
        getDocs: getDocs(createDocument),
      },
      { log, metrics, knows: (alias) => catalog.current().models.has(alias) },
    );
    const revocations = watchRevocations(notices);
    const live = { authenticate, guard, revocations, proxy: audioProxy, log, metrics };
    const server = await listen(app, traceUpgrades(upgradeLive(live)), config);
    log.info({ url: server.url }, "listening");
    return {
      bindings: [],
      url: server.url,
      drain: server.stop,
      async stop(graceMs) {
        await claims.stop(graceMs);
        await pool.end();
        audioProxy.close();
        documentProxy.close();
        catalog.close();
      },
    };
  },
});
