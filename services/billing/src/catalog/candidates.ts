import { newId } from "@tollgate/core/ids";
import { Pauses } from "@tollgate/core/pauses";
import type { Prisma, PrismaClient } from "../generated/client.ts";

/** Longer than publishing takes. The candidate of a process that was killed expires after it. */
const leaseSeconds = 30;
const retryMs = 100;
/** How long a publication waits for the one before it, or for the end of its lease. */
const maxWaitMs = 40_000;

/** A catalog that processes check before it is published. */
export interface Candidate {
  id: string;
  text: string;
}

/**
 * Stores a text as the only candidate, once there is no other. Resolves with undefined if the other one
 * takes longer than its lease, or once `isOutdated` resolves with true.
 */
export async function takeCandidate(
  prisma: PrismaClient,
  text: string,
  isOutdated: () => Promise<boolean>,
): Promise<Candidate | undefined> {
  const id = newId("candidate");
  const pauses = new Pauses({ firstMs: retryMs, forMs: maxWaitMs });
  do {
    const taken = await prisma.$executeRaw`
      INSERT INTO catalog_candidate (id, text, expires_at)
      VALUES (${id}, ${text}, now() + make_interval(secs => ${leaseSeconds}))
      ON CONFLICT (is_only) DO UPDATE
      SET id = excluded.id, text = excluded.text, expires_at = excluded.expires_at
      WHERE catalog_candidate.expires_at <= now()`;
    if (taken === 1) return { id, text };
    if (await isOutdated()) return undefined;
  } while (await pauses.next());
  return undefined;
}

/** Resolves with the candidate that is being checked; undefined where there is none. */
export async function readCandidate(
  database: Prisma.TransactionClient,
): Promise<Candidate | undefined> {
  const [found] = await database.$queryRaw<Candidate[]>`
    SELECT id, text FROM catalog_candidate WHERE expires_at > now()`;
  return found;
}

/** Removes a candidate. Resolves with false if it had expired, so that another one may have replaced it. */
export async function removeCandidate(
  database: Prisma.TransactionClient,
  id: string,
): Promise<boolean> {
  const removed = await database.$executeRaw`
    DELETE FROM catalog_candidate WHERE id = ${id} AND expires_at > now()`;
  return removed === 1;
}
