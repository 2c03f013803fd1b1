import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type CatalogProcessSchema,
  CatalogSource,
  type SyncCatalogRequest,
} from "@tollgate/proto/tollgate/v1/catalog";
import type { Prisma, PrismaClient } from "../generated/client.ts";

/** A process that has not reported for this long is not live. */
const liveSeconds = 10;
/** An unchanged report is written no more often than this. */
const writeSeconds = 2;

/** The last report of a live process. */
export interface LiveProcess {
  name: string;
  services: string[];
  source: "file" | "database";
  revision: bigint;
  text_hash: string;
  refused_revision: bigint | null;
  refused_hash: string | null;
  refused_reason: string | null;
  candidate_id: string;
  candidate_error: string;
  seen_at: Date;
}

/**
 * Stores the report of a process. Removes an earlier process of the same name, and the processes that have
 * not reported for an hour.
 */
export async function reportProcess(prisma: PrismaClient, report: SyncCatalogRequest) {
  const { processId, name, services, refusal } = report;
  const source = report.source === CatalogSource.FILE ? "file" : "database";
  await prisma.$executeRaw`
    WITH ended AS (
      DELETE FROM catalog_process
      WHERE process_id <> ${processId}
        AND (name = ${name} OR seen_at < now() - interval '1 hour')
    )
    INSERT INTO catalog_process AS stored (
      process_id, name, services, source, revision, text_hash,
      refused_revision, refused_hash, refused_reason, candidate_id, candidate_error
    ) VALUES (
      ${processId}, ${name}, ${services}, ${source}, ${report.revision}, ${report.textHash},
      ${refusal?.revision ?? null}::bigint, ${refusal?.textHash ?? null}::text,
      ${refusal?.reason ?? null}::text, ${report.candidateId}, ${report.candidateError}
    )
    ON CONFLICT (process_id) DO UPDATE SET
      services = excluded.services, revision = excluded.revision, text_hash = excluded.text_hash,
      refused_revision = excluded.refused_revision, refused_hash = excluded.refused_hash,
      refused_reason = excluded.refused_reason, candidate_id = excluded.candidate_id,
      candidate_error = excluded.candidate_error, seen_at = now()
    WHERE stored.seen_at < now() - make_interval(secs => ${writeSeconds})
      OR (stored.services, stored.revision, stored.text_hash, stored.refused_reason,
          stored.refused_hash, stored.candidate_id)
        IS DISTINCT FROM
         (excluded.services, excluded.revision, excluded.text_hash, excluded.refused_reason,
          excluded.refused_hash, excluded.candidate_id)`;
}

/** Removes a process that stops. */
export async function removeProcess(prisma: PrismaClient, processId: string): Promise<void> {
  await prisma.catalogProcess.deleteMany({ where: { processId } });
}

/** Resolves with the live processes, by name. */
export function liveProcesses(database: Prisma.TransactionClient): Promise<LiveProcess[]> {
  return database.$queryRaw<LiveProcess[]>`
    SELECT name, services, source, revision, text_hash, refused_revision, refused_hash,
      refused_reason, candidate_id, candidate_error, seen_at
    FROM catalog_process WHERE seen_at > now() - make_interval(secs => ${liveSeconds})
    ORDER BY name`;
}

/** Resolves with the lowest revision that the live processes of each service serve. */
export function servedRevisions(
  database: Prisma.TransactionClient,
): Promise<{ service: string; lowest_revision: bigint }[]> {
  return database.$queryRaw`
    SELECT service, min(revision) AS lowest_revision
    FROM catalog_process CROSS JOIN LATERAL unnest(services) AS service
    WHERE source = 'database' AND refused_reason IS NULL
      AND seen_at > now() - make_interval(secs => ${liveSeconds})
    GROUP BY service`;
}

/** What a process must serve: a revision, or where billing has a file, the text with this hash. */
export type NewestCatalog = { revision: bigint } | { fileHash: string };

/** Returns whether a process serves the newest catalog. */
export function isCurrent(process: LiveProcess, newest: NewestCatalog): boolean {
  if (process.refused_reason !== null) return false;
  if ("fileHash" in newest) {
    return process.source === "file" && process.text_hash === newest.fileHash;
  }
  return process.source === "database" && process.revision === newest.revision;
}

/** Returns a process as a message. */
export function toProcess(
  process: LiveProcess,
  newest: NewestCatalog,
): MessageInitShape<typeof CatalogProcessSchema> {
  const { name, services, revision, text_hash: textHash, refused_reason: reason } = process;
  return {
    ...{ name, services, revision, textHash },
    source: process.source === "file" ? CatalogSource.FILE : CatalogSource.DATABASE,
    ...(reason === null
      ? {}
      : {
          refusal: {
            revision: process.refused_revision ?? 0n,
            textHash: process.refused_hash ?? "",
            reason,
          },
        }),
    seenAt: timestampFromDate(process.seen_at),
    isCurrent: isCurrent(process, newest),
  };
}
