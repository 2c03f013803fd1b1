import type { Log } from "@tollgate/core/log";
import { type ProxySettings, readProxySettings } from "@tollgate/core/proxy-settings";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentService } from "@tollgate/proto/tollgate/v1/payment";
import { defineService, type RunningService } from "@tollgate/runtime/service";
import type { Router } from "express";
import manifest from "../package.json" with { type: "json" };
import { createCookie } from "./access/cookies.ts";
import { createSignedInSessions, type SignedInSessions } from "./access/sessions.ts";
import { createConsoleApp } from "./app.ts";
import { readConsoleConfig } from "./config.ts";
import { type ConsoleServer, listenForOperators } from "./http/listen.ts";
import { createOidcProvider } from "./oidc/provider.ts";
import { callbackPath, createOidcRoutes } from "./oidc/routes.ts";
import { type OidcSettings, readOidcSettings } from "./oidc/settings.ts";
import { createPlaygroundKeys } from "./playground/playground-keys.ts";
import { createPlaygroundRoute } from "./playground/playground-route.ts";
import type { RouteRegistration } from "./rpc/call-context.ts";
import { implementConsole } from "./rpc/console-calls.ts";
import { forwardOperatorCalls } from "./rpc/operator-calls.ts";
import { createStripeRoute } from "./webhooks/stripe-route.ts";
import { createWebhookApp } from "./webhooks/webhook-app.ts";

/** Returns a process without a console, which may still listen for webhooks. */
function withoutConsole(listener: ConsoleServer | undefined): RunningService {
  return { bindings: [], ...(listener && { drain: listener.stop }), stop: async () => {} };
}

/** The operators' web page and API. */
export const consoleService = defineService({
  name: "console",
  async setup({ env, log, metrics, peer, edgeUrl, now }) {
    const config = readConsoleConfig(env);
    const { origin, proxies } = config;
    const oidc = readOidcSettings(env, origin);
    const webhooks = createStripeRoute({ payments: peer("billing", PaymentService), log });
    const ownListener =
      config.webhookListen === undefined
        ? undefined
        : await listenForOperators(
            createWebhookApp(webhooks, { log, metrics }),
            config.webhookListen,
            "TOLLGATE_WEBHOOK_LISTEN",
          );
    if (ownListener !== undefined) log.info({ url: ownListener.url }, "listening for webhooks");
    if (config.listen === undefined) return withoutConsole(ownListener);
    const identities = peer("billing", IdentityService);
    const isSecure = origin?.startsWith("https:") === true;
    const sessions = createSignedInSessions(identities, createCookie("tollgate-session", isSecure));
    const { version } = manifest;
    const hasPlayground = config.playgroundNanoUsd > 0n;
    const parts = {
      sessions,
      identities,
      version,
      gatewayUrl: () => config.publicUrl ?? edgeUrl() ?? "",
      hasPlayground,
      issuer: origin === undefined ? "Tollgate" : new URL(origin).host,
      oidcName: oidc?.name ?? "",
      log,
    };
    const routes: RouteRegistration = (router) => {
      router.service(OperatorService, forwardOperatorCalls(parts));
      router.service(ConsoleService, implementConsole(parts));
    };
    const providerRoutes =
      oidc && oidcRoutes(oidc, readProxySettings(env), origin ?? "", sessions, log);
    const ownWebhooks = ownListener === undefined ? webhooks : undefined;
    const playground = createPlaygroundRoute({
      sessions,
      keys: createPlaygroundKeys(identities, {
        dailyBudgetNanoUsd: config.playgroundNanoUsd,
        nowMs: () => now().getTime(),
      }),
      edgeUrl: () => edgeUrl() ?? config.edgeUrl,
      log,
    });
    const appParts = {
      routes,
      providerRoutes,
      playground: hasPlayground ? playground : undefined,
      webhooks: ownWebhooks,
      origin,
      proxies,
      log,
      metrics,
    };
    const app = createConsoleApp(appParts);
    const server = await listenForOperators(app, config.listen, "TOLLGATE_CONSOLE_LISTEN");
    const consoleUrl = origin ?? server.url;
    log.info({ url: server.url }, "listening");
    return {
      bindings: [],
      ...(consoleUrl === undefined ? {} : { consoleUrl }),
      async drain(graceMs) {
        await Promise.all([server.stop(graceMs), ownListener?.stop(graceMs)]);
      },
      async stop() {},
    };
  },
});

function oidcRoutes(
  settings: OidcSettings,
  proxies: ProxySettings,
  origin: string,
  sessions: SignedInSessions,
  log: Log,
): Router {
  const cookie = createCookie("tollgate-oidc", origin.startsWith("https:"));
  const provider = createOidcProvider(settings, proxies, `${origin}${callbackPath}`, log);
  return createOidcRoutes({ settings, provider, sessions, cookie, origin, log });
}
