import { watchCatalog } from "@tollgate/kit/catalog/watch";
import { defineService, serviceNames } from "@tollgate/kit/service";
import { Health } from "@tollgate/proto/grpc/health/v1/health";
import { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import manifest from "../package.json" with { type: "json" };
import { createApp } from "./app.ts";
import { createAuthenticate } from "./auth.ts";
import { readConfig } from "./config.ts";
import { createBalanceGuard } from "./guard.ts";
import { createRateWindows } from "./rate-windows.ts";
import { listen } from "./server.ts";
import { chatCompletions } from "./wire/chat.ts";
import { getCredits } from "./wire/credits.ts";
import { getHealth } from "./wire/health.ts";
import { getModel, listModels } from "./wire/models.ts";

/** The face of the fleet: the only service that clients talk to. */
export const edge = defineService({
  name: "edge",
  async setup({ env, log, peer, notices }) {
    const config = readConfig(env);
    const catalog = await watchCatalog(config.catalogFile, log);
    const billing = peer("billing", BillingService);
    const authenticate = createAuthenticate(billing, notices);
    const rates = createRateWindows(() => catalog.current().limits, Date.now);
    const guard = createBalanceGuard(billing);
    const peers = serviceNames.filter((name) => name !== "edge");
    const health = Object.fromEntries(peers.map((name) => [name, peer(name, Health)]));
    const models = { authenticate, catalog: catalog.current };
    const app = createApp(
      {
        chatCompletions: chatCompletions({
          authenticate,
          guard,
          rates,
          chat: peer("chat", ChatService),
        }),
        listModels: listModels(models),
        getModel: getModel(models),
        getCredits: getCredits(authenticate, billing),
        getHealth: getHealth(health, manifest.version, () => process.uptime()),
      },
      log,
    );
    const server = await listen(app, config);
    log.info({ url: server.url }, "listening");
    return {
      offers: [],
      url: server.url,
      async stop(graceMs) {
        await server.stop(graceMs);
        catalog.close();
      },
    };
  },
});
