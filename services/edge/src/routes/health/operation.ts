import manifest from "../../../package.json" with { type: "json" };
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { healthSchema } from "./schema.ts";

const services = ["ledger", "billing", "chat", "document", "image", "audio"];

export const getHealthOperation: Operation = {
  id: "getHealth",
  tag: "Gateway",
  summary: "Get the gateway's health",
  description: "Always responds with 200 and without delay, even if services are out.",
  responses: {
    200: jsonResponseDoc("Health", healthSchema, "The health of the gateway.", {
      status: "ok",
      version: manifest.version,
      uptime_seconds: 1_236,
      services: Object.fromEntries(services.map((service) => [service, "ok"])),
    }),
  },
};
