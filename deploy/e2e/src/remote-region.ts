import { join } from "node:path";
import { startFleet } from "@tollgate/local/fleet";
import { startForwarder } from "./forwarder.ts";
import { gatewayProgram } from "./programs.ts";
import type { OwnStack } from "./stack.ts";
import { createStackDatabase } from "./stack-database.ts";

/** An edge and a chat service far from the ledger and billing of a stack, which they call. */
export interface RemoteRegion {
  url: string;
  /** Where its processes serve metrics. */
  operationsUrls: readonly string[];
  /**
   * Cuts it off from the ledger and billing: connections are `refused`, or in `silence` no byte arrives until it is
   * connected again. Returns the function that does that.
   */
  cutOff(how: RegionOutage): () => void;
  stop(): Promise<void>;
}

export type RegionOutage = "refused" | "silence";

const services = ["chat", "edge"] as const;

/**
 * Starts a region with a database of its own and without a broker. Bytes between it and the stack arrive `delayMs`
 * later. `env` is on top of the settings of the stack.
 */
export async function startRemoteRegion(
  stack: OwnStack,
  { name, delayMs, env = {} }: { name: string; delayMs: number; env?: NodeJS.ProcessEnv },
): Promise<RemoteRegion> {
  const { NATS_URL: _, ...shared } = stack.env;
  const database = await createStackDatabase("stack_");
  const homePorts = (["ledger", "billing"] as const).map((service) => portOf(stack, service));
  const forwarders = await Promise.all(homePorts.map((port) => startForwarder(port, { delayMs })));
  const [ledger, billing] = forwarders.map(({ port }) => `127.0.0.1:${port}`);
  const own = {
    ...shared,
    DATABASE_URL: database.url,
    TOLLGATE_SPOOL_DIR: join(stack.folder, `spool-${name}`),
    ...env,
  };
  const fleet = await startFleet(own, 0, {
    main: gatewayProgram,
    services,
    addresses: { ledger: ledger ?? "", billing: billing ?? "" },
  });
  return {
    url: fleet.url,
    operationsUrls: services.flatMap((service) =>
      fleet.replicas(service).map(({ operationsListen }) => `http://${operationsListen}`),
    ),
    cutOff(how) {
      if (how === "silence") {
        const connects = forwarders.map((forwarder) => forwarder.silence());
        return () => connects.forEach((connect) => void connect());
      }
      for (const forwarder of forwarders) forwarder.moveTo(undefined);
      return () => {
        for (const [index, forwarder] of forwarders.entries()) forwarder.moveTo(homePorts[index]);
      };
    },
    async stop() {
      await fleet.stop();
      for (const forwarder of forwarders) await forwarder.close();
    },
  };
}

function portOf(stack: OwnStack, service: "ledger" | "billing"): number {
  return Number(stack.addressOf(service).split(":").at(-1));
}
