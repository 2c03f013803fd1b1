import { type Environment, integerSetting, readSettings } from "@tollgate/core/config";
import { everyHost, listenHost } from "@tollgate/core/listen-host";
import { databaseSettings } from "@tollgate/runtime/database/settings";
import { z } from "zod";
import type { CorsOrigins } from "./http/cors.ts";
import { createClientAddress } from "./refusals/client-address.ts";

export interface EdgeConfig {
  port: number;
  host: string;
  /** Whether other processes of this machine may listen on the port, too. */
  isPortShared: boolean;
  databaseUrl: string;
  databaseConnections: number;
  corsOrigins: CorsOrigins;
  /** The addresses and networks of proxies, whose `X-Forwarded-For` is trusted. */
  proxies: readonly string[];
  storedResponsesBytes: number;
  bodiesBytes: number;
  /** The longest that a response may take. */
  maxResponseMs: number;
  /** Whether traces have the prompts and responses of accounts that store them. */
  tracesContent: boolean;
}

/** Reads the edge's settings. Throws a StartError that names an invalid one. */
export function readEdgeConfig(env: Environment): EdgeConfig {
  const settings = readSettings(schema, env);
  return {
    port: settings.PORT,
    host: settings.HOST,
    isPortShared: settings.TOLLGATE_SHARE_PORT === "on",
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.TOLLGATE_DATABASE_CONNECTIONS,
    corsOrigins: settings.TOLLGATE_CORS_ORIGINS,
    proxies: settings.TOLLGATE_PROXIES,
    storedResponsesBytes: settings.TOLLGATE_STORED_RESPONSES_MIB * 1024 * 1024,
    bodiesBytes: settings.TOLLGATE_BODIES_MIB * 1024 * 1024,
    maxResponseMs: settings.TOLLGATE_RESPONSE_SECONDS * 1_000,
    tracesContent: settings.TOLLGATE_TRACE_CONTENT === "on",
  };
}

/** Returns whether a text is an origin as browsers send it: without a path or a default port. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function splitList(list: string): string[] {
  return list
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function areNetworks(proxies: readonly string[]): boolean {
  try {
    createClientAddress(proxies);
    return true;
  } catch {
    return false;
  }
}

const schema = z.object({
  PORT: integerSetting({ min: 0, max: 65_535, default: 8_080 }),
  HOST: z
    .string()
    .default(everyHost)
    .transform((host) => listenHost(host)),
  TOLLGATE_SHARE_PORT: z.enum(["on", "off"]).default("off"),
  TOLLGATE_STORED_RESPONSES_MIB: integerSetting({ min: 1, max: 1_048_576, default: 256 }),
  TOLLGATE_BODIES_MIB: integerSetting({ min: 32, max: 1_048_576, default: 256 }),
  TOLLGATE_RESPONSE_SECONDS: integerSetting({ min: 1, max: 1_800, default: 1_800 }),
  TOLLGATE_TRACE_CONTENT: z.enum(["on", "off"]).default("off"),
  TOLLGATE_CORS_ORIGINS: z
    .string()
    .default("")
    .transform((list): CorsOrigins => (list === "*" ? "*" : splitList(list)))
    .refine(
      (origins) => origins === "*" || origins.every(isOrigin),
      "must be * or a list of origins with commas between them, such as https://app.example.com",
    ),
  TOLLGATE_PROXIES: z
    .string()
    .default("")
    .transform(splitList)
    .refine(
      areNetworks,
      "must be a list of addresses or networks with commas between them, such as 10.0.0.0/8",
    ),
  ...databaseSettings,
});
