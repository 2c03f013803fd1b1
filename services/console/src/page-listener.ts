import type { Log } from "@tollgate/core/log";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import { ConsoleService } from "@tollgate/proto/tollgate/v1/console";
import type { IdentityService } from "@tollgate/proto/tollgate/v1/identity";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { Express, Router } from "express";
import manifest from "../package.json" with { type: "json" };
import { createCookie } from "./access/cookies.ts";
import { createSignedInSessions, type SignedInSessions } from "./access/sessions.ts";
import { createConsoleApp } from "./app.ts";
import { createOidcProvider } from "./oidc/provider.ts";
import { callbackPath, createOidcRoutes } from "./oidc/routes.ts";
import type { OidcSettings } from "./oidc/settings.ts";
import { createPlaygroundKeys } from "./playground/playground-keys.ts";
import { createPlaygroundRoute } from "./playground/playground-route.ts";
import type { RouteRegistration } from "./rpc/call-context.ts";
import { implementConsole } from "./rpc/console-calls.ts";
import { forwardOperatorCalls } from "./rpc/operator-calls.ts";

/** What the listeners of the page have in common. */
export interface PageParts {
  identities: Client<typeof IdentityService>;
  oidc: OidcSettings | undefined;
  /** The proxies through which the OpenID provider is called. */
  outgoing: ProxySettings;
  /** Returns where clients reach the gateway; empty where that is not known. */
  gatewayUrl(): string;
  /** Returns where the requests of the playground are sent. */
  edgeUrl(): string;
  /** What a person may spend in the playground in a day; 0 without one. */
  playgroundNanoUsd: bigint;
  /** How many proxies add to `X-Forwarded-For` before a request arrives. */
  proxies: number;
  log: Log;
  metrics: Metrics;
  now(): Date;
}

/** A listener of the page and the API: for everybody, or for customers alone. */
export interface PageListener {
  /** Where browsers reach it, without a path; undefined where it is reached directly. */
  origin: string | undefined;
  customersOnly: boolean;
  /** The webhooks, unless they have a listener of their own. */
  webhooks: Router | undefined;
}

/** Creates the app of a listener. */
export function createPageApp(
  parts: PageParts,
  { origin, customersOnly, webhooks }: PageListener,
): Express {
  const { identities, oidc, playgroundNanoUsd, now, log, metrics, proxies } = parts;
  const cookie = createCookie("tollgate-session", isSecure(origin));
  const sessions = createSignedInSessions(identities, cookie, customersOnly);
  const hasPlayground = playgroundNanoUsd > 0n;
  const callParts = {
    ...{ sessions, identities, log, hasPlayground, gatewayUrl: parts.gatewayUrl },
    version: manifest.version,
    issuer: origin === undefined ? "Tollgate" : new URL(origin).host,
    oidcName: oidc?.name ?? "",
  };
  const routes: RouteRegistration = (router) => {
    router.service(OperatorService, forwardOperatorCalls(callParts));
    router.service(ConsoleService, implementConsole(callParts));
  };
  const keys = createPlaygroundKeys(identities, {
    dailyBudgetNanoUsd: playgroundNanoUsd,
    nowMs: () => now().getTime(),
  });
  const playground = createPlaygroundRoute({ sessions, keys, edgeUrl: parts.edgeUrl, log });
  return createConsoleApp({
    ...{ routes, webhooks, origin, proxies, log, metrics },
    providerRoutes: oidc && oidcRoutes(oidc, parts, sessions, origin ?? ""),
    playground: hasPlayground ? playground : undefined,
  });
}

function oidcRoutes(
  settings: OidcSettings,
  { outgoing, log }: PageParts,
  sessions: SignedInSessions,
  origin: string,
): Router {
  const cookie = createCookie("tollgate-oidc", isSecure(origin));
  const provider = createOidcProvider(settings, outgoing, `${origin}${callbackPath}`, log);
  return createOidcRoutes({ settings, provider, sessions, cookie, origin, log });
}

function isSecure(origin: string | undefined): boolean {
  return origin?.startsWith("https:") === true;
}
