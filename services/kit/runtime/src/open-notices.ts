import type { Log } from "@tollgate/core/log";
import type { Broker } from "./broker/connection.ts";
import { brokerNotices, joinNotices, localNotices, type Notices } from "./broker/notices.ts";
import { openPostgresNotices } from "./database/postgres-notices.ts";
import type { ServiceName } from "./service.ts";

/** The services that send or receive notices. Both have a database. */
const usesNotices: ReadonlySet<ServiceName> = new Set<ServiceName>(["billing", "edge"]);

/**
 * Opens the notices of a process: inside it, through the broker, and by Postgres where one of its
 * services sends or receives them.
 */
export function openNotices(
  services: readonly ServiceName[],
  { broker, databaseUrl }: { broker: Broker | undefined; databaseUrl: string | undefined },
  log: Log,
): { notices: Notices; close(): Promise<void> } {
  const ways = [localNotices()];
  if (broker !== undefined) ways.push(brokerNotices(broker));
  const hasPostgres = databaseUrl && services.some((name) => usesNotices.has(name));
  const postgres = hasPostgres ? openPostgresNotices(databaseUrl, log) : undefined;
  if (postgres !== undefined) ways.push(postgres);
  return { notices: joinNotices(ways), close: async () => postgres?.close() };
}
