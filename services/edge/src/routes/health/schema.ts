import { z } from "zod";

export const healthSchema = z.object({
  status: z
    .enum(["ok", "degraded", "unavailable"])
    .describe("`degraded` if some services are out, `unavailable` if all are."),
  version: z.string(),
  uptime_seconds: z.int(),
  services: z.record(z.string(), z.enum(["ok", "out"])),
});
