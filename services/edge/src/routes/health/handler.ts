import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "@tollgate/proto/grpc/health/v1/health";
import type { Client } from "@tollgate/rpc/implementation";
import type { z } from "zod";
import type { Handler } from "../../http/handler.ts";
import { writeJson } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { healthSchema } from "./schema.ts";

/** A service that does not respond within this time counts as out. */
const checkTimeoutMs = 500;

type Status = z.infer<typeof healthSchema>["status"];

/** GET /v1/health. Responds with 200 within a second, whatever is down. */
export function getHealth({ health, version, uptimeSeconds }: RouteDependencies): Handler {
  return async (context) => {
    const checks = Object.entries(health).map(async ([name, client]) => [
      name,
      await check(client),
    ]);
    const services: Record<string, "ok" | "out"> = Object.fromEntries(await Promise.all(checks));
    writeJson(context, {
      status: overallStatus(Object.values(services)),
      version,
      uptime_seconds: Math.floor(uptimeSeconds()),
      services,
    } satisfies z.input<typeof healthSchema>);
  };
}

async function check(client: Client<typeof Health>): Promise<"ok" | "out"> {
  try {
    const { status } = await client.check({}, { timeoutMs: checkTimeoutMs });
    return status === HealthCheckResponse_ServingStatus.SERVING ? "ok" : "out";
  } catch {
    return "out";
  }
}

function overallStatus(statuses: readonly string[]): Status {
  if (statuses.every((status) => status === "ok")) return "ok";
  return statuses.includes("ok") ? "degraded" : "unavailable";
}
