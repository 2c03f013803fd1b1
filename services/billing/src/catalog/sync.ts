import type { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import type { Implementation } from "@tollgate/rpc/implementation";
import type { PrismaClient } from "../generated/client.ts";
import { readCandidate } from "./candidates.ts";
import { removeProcess, reportProcess, servedRevisions } from "./processes.ts";
import { newestRevision, textOfRevision } from "./revisions.ts";

/** Returns the implementation of the calls of processes that use the catalog. */
export function implementCatalog(prisma: PrismaClient): Implementation<typeof CatalogService> {
  return {
    async syncCatalog(report) {
      await reportProcess(prisma, report);
      const [revision, candidate, served] = await Promise.all([
        newestRevision(prisma),
        readCandidate(prisma),
        servedRevisions(prisma),
      ]);
      const isKnown = revision === report.knownRevision || revision === 0n;
      return {
        revision,
        ...(isKnown ? {} : { text: await textOfRevision(prisma, revision) }),
        ...(candidate === undefined
          ? {}
          : {
              candidate:
                candidate.id === report.candidateId ? { id: candidate.id } : { ...candidate },
            }),
        served: served.map(({ service, lowest_revision: lowestRevision }) => ({
          service,
          lowestRevision,
        })),
      };
    },
    async leaveCatalog({ processId }) {
      await removeProcess(prisma, processId);
      return {};
    },
  };
}
