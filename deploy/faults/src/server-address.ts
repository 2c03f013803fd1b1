import { startForwarder } from "@tollgate/e2e/forwarder";
import type { EmbeddedPostgres } from "@tollgate/local/postgres";

/** The address of a Postgres server that another one replaces. */
export interface ServerAddress {
  /** Has the role and the password of the first server, which the second must have, too. */
  url: string;
  /** Cuts all connections. The address leads to no server then. */
  cut(): void;
  /** Cuts the address, and kills the first server. */
  killFirst(): Promise<void>;
  /** Leads to another server. */
  moveTo(second: EmbeddedPostgres): void;
  /** Stops the first server and, where there is one, the second. */
  stop(second: EmbeddedPostgres | undefined): Promise<void>;
}

/** Creates an address that leads to a server. */
export async function startServerAddress(first: EmbeddedPostgres): Promise<ServerAddress> {
  const forwarder = await startForwarder(portOf(first));
  const url = new URL(first.url);
  url.port = String(forwarder.port);
  const cut = () => forwarder.moveTo(undefined);
  return {
    url: url.href,
    cut,
    async killFirst() {
      cut();
      process.kill(first.pid, "SIGKILL");
      await first.stop();
    },
    moveTo: (second) => forwarder.moveTo(portOf(second)),
    async stop(second) {
      await forwarder.close();
      await Promise.all([first.stop(), second?.stop()]);
    },
  };
}

/** Returns the port of a server. */
export function portOf({ url }: EmbeddedPostgres): number {
  return Number(new URL(url).port);
}
