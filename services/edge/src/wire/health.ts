import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "@tollgate/proto/grpc/health/v1/health";
import type { Client } from "@tollgate/rpc/implementation";
import type { ServiceName } from "@tollgate/runtime/service";
import { z } from "zod";
import { writeJson } from "../answer.ts";
import type { Route } from "../exchange.ts";
import { jsonAnswer, type Operation } from "../openapi/operation.ts";

/** A service that does not answer in this time counts as out. */
const checkTimeoutMs = 500;

export type HealthClients = Readonly<Partial<Record<ServiceName, Client<typeof Health>>>>;

/** GET /v1/health: always 200, and within a second whatever is down. */
export function getHealth(
  clients: HealthClients,
  version: string,
  uptimeSeconds: () => number,
): Route {
  return async (exchange) => {
    const checks = Object.entries(clients).map(async ([name, client]) => [name, await ask(client)]);
    const services: Record<string, "ok" | "out"> = Object.fromEntries(await Promise.all(checks));
    const answers = Object.values(services);
    writeJson(exchange, {
      status: overall(answers),
      version,
      uptime_seconds: Math.floor(uptimeSeconds()),
      services,
    } satisfies z.input<typeof healthSchema>);
  };
}

async function ask(client: Client<typeof Health>): Promise<"ok" | "out"> {
  try {
    const { status } = await client.check({}, { timeoutMs: checkTimeoutMs });
    return status === HealthCheckResponse_ServingStatus.SERVING ? "ok" : "out";
  } catch {
    return "out";
  }
}

function overall(answers: readonly string[]): "ok" | "degraded" | "unavailable" {
  if (answers.every((answer) => answer === "ok")) return "ok";
  return answers.includes("ok") ? "degraded" : "unavailable";
}

const healthSchema = z.object({
  status: z.enum(["ok", "degraded", "unavailable"]).describe("`degraded`: some service is out."),
  version: z.string(),
  uptime_seconds: z.int(),
  services: z.record(z.string(), z.enum(["ok", "out"])),
});

export const getHealthOperation: Operation = {
  id: "getHealth",
  tag: "Gateway",
  summary: "Read the gateway's health",
  access: "open",
  answers: { 200: jsonAnswer("Health", healthSchema, "Always, and at once, whatever is out.") },
};
