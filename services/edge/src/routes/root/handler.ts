import type { z } from "zod";
import type { Handler } from "../../http/handler.ts";
import { writeJson } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { rootSchema } from "./schema.ts";

/** GET /. Says what listens here, and where it is described. */
export function getRoot({ version }: RouteDependencies): Handler {
  return async (context) => {
    writeJson(context, {
      name: "Tollgate",
      version,
      base_url: "/v1",
      docs_url: "/docs",
      openapi_url: "/openapi.json",
      health_url: "/v1/health",
    } satisfies z.input<typeof rootSchema>);
  };
}
