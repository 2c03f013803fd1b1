import { readProxySettings } from "@tollgate/core/proxy-settings";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import { defineService } from "@tollgate/runtime/service";
import { readConsoleConfig } from "./config.ts";
import { type ConsoleServer, listenForOperators } from "./http/listen.ts";
import { readOidcSettings } from "./oidc/settings.ts";
import { createPageApp, type PageParts } from "./page-listener.ts";
import { createStripeRoute } from "./webhooks/stripe-route.ts";
import { createWebhookApp } from "./webhooks/webhook-app.ts";

/** The web page and API of operators and customers. */
export const consoleService = defineService({
  name: "console",
  async setup({ env, log, metrics, peer, edgeUrl, now }) {
    const config = readConsoleConfig(env);
    const { origin, customers, listen, webhookListen } = config;
    const webhooks = createStripeRoute({ payments: peer("billing", PaymentService), log });
    const parts: PageParts = {
      identities: peer("billing", IdentityService),
      oidc: readOidcSettings(env, origin),
      outgoing: readProxySettings(env),
      gatewayUrl: () => config.publicUrl ?? edgeUrl() ?? "",
      edgeUrl: () => edgeUrl() ?? config.edgeUrl,
      ...{ playgroundNanoUsd: config.playgroundNanoUsd, proxies: config.proxies },
      ...{ log, metrics, now },
    };
    const servers: ConsoleServer[] = [];

    async function open(...[app, address, variable]: Parameters<typeof listenForOperators>) {
      const server = await listenForOperators(app, address, variable);
      servers.push(server);
      log.info({ url: server.url, variable }, "listening");
      return server;
    }

    if (webhookListen !== undefined) {
      const app = createWebhookApp(webhooks, { log, metrics });
      await open(app, webhookListen, "TOLLGATE_WEBHOOK_LISTEN");
    }
    if (customers !== undefined) {
      const listener = { origin: customers.origin, customersOnly: true, webhooks: undefined };
      const app = createPageApp(parts, listener);
      await open(app, customers.listen, "TOLLGATE_CUSTOMER_LISTEN");
    }
    const ownWebhooks = webhookListen === undefined ? webhooks : undefined;
    const listener = { origin, customersOnly: false, webhooks: ownWebhooks };
    const main =
      listen && (await open(createPageApp(parts, listener), listen, "TOLLGATE_CONSOLE_LISTEN"));
    const consoleUrl = main && (origin ?? main.url);
    return {
      bindings: [],
      ...(consoleUrl === undefined ? {} : { consoleUrl }),
      async drain(graceMs) {
        await Promise.all(servers.map((server) => server.stop(graceMs)));
      },
      async stop() {},
    };
  },
});
