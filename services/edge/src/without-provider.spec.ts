import { GatewayError, PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { withoutProvider } from "./without-provider.ts";

const exchange = { signal: new AbortController().signal } as Exchange;

test.each([
  ["a service that is away is a fault of the gateway", new PeerError("unavailable", "away"), 500],
  ["a service's own word stands", new GatewayError("no_provider_available", "none"), 503],
])("where no provider takes part, %s", async (_, error, status) => {
  const route = withoutProvider(() => Promise.reject(error), createLog("silent"));
  await expect(route(exchange)).rejects.toMatchObject({ status });
});
