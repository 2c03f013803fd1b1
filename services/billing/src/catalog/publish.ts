import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Catalog } from "@tollgate/catalog/model";
import { Pauses } from "@tollgate/core/pauses";
import type {
  CatalogRevisionSchema,
  UnservingProcessSchema,
} from "@tollgate/proto/tollgate/v1/catalog";
import type { Notices } from "@tollgate/runtime/broker/notices";
import { type AuditActor, recordChange } from "../audit.ts";
import type { Prisma, PrismaClient } from "../generated/client.ts";
import { type Candidate, removeCandidate, takeCandidate } from "./candidates.ts";
import { isCurrent, type LiveProcess, liveProcesses } from "./processes.ts";
import { insertRevision, newestRevision, toRevision } from "./revisions.ts";

/** Publishing waits longer than the 10 s for which a killed process still counts as live. */
const prepareMs = 15_000;
/** How long publishing waits for the live processes to serve the revision. */
const switchMs = 2_000;
const pollMs = 50;

export interface PublishParts {
  prisma: PrismaClient;
  notices: Notices;
  actor: AuditActor;
}

/** A valid catalog that is to be published. */
export interface Draft {
  action: "PublishCatalog" | "RollBackCatalog";
  text: string;
  catalog: Catalog;
  /** The number of its providers. */
  providers: number;
  baseRevision: bigint;
  reason: string;
  without: readonly string[];
  restoresRevision?: bigint | undefined;
}

/** The result of publishing. Unless it is `published`, nothing has changed. */
export type Publication =
  | { kind: "published"; revision: MessageInitShape<typeof CatalogRevisionSchema> }
  | { kind: "outdated"; newest: bigint }
  /** Another draft is being published. */
  | { kind: "busy" }
  | { kind: "unservable"; processes: MessageInitShape<typeof UnservingProcessSchema>[] };

/**
 * Publishes a draft in two steps: every live process checks it and reports that it can serve it, and then
 * it becomes the newest revision. Resolves once all processes serve it, after two seconds at the latest.
 */
export async function publishDraft(parts: PublishParts, draft: Draft): Promise<Publication> {
  const { prisma, notices } = parts;
  const isOutdated = async () => (await newestRevision(prisma)) !== draft.baseRevision;
  if (await isOutdated()) return outdated(prisma);
  const candidate = await takeCandidate(prisma, draft.text, isOutdated);
  if (candidate === undefined) {
    if (await isOutdated()) return outdated(prisma);
    return { kind: "busy" };
  }
  try {
    notices.publish("catalog.changed", candidate.id);
    const publication = await prepareAndCommit(parts, draft, candidate);
    if (publication.kind !== "published") return publication;
    notices.publish("catalog.changed", String(publication.revision.revision));
    await untilServed(prisma, draft.baseRevision + 1n);
    return publication;
  } finally {
    await removeCandidate(prisma, candidate.id);
  }
}

async function outdated(prisma: PrismaClient): Promise<Publication> {
  return { kind: "outdated", newest: await newestRevision(prisma) };
}

async function prepareAndCommit(
  parts: PublishParts,
  draft: Draft,
  candidate: Candidate,
): Promise<Publication> {
  const { prisma } = parts;
  const checking = (processes: readonly LiveProcess[]) =>
    processes.filter(({ name, source }) => source === "database" && !draft.without.includes(name));
  const hasChecked = ({ candidate_id: id }: LiveProcess) => id === candidate.id;
  const pauses = new Pauses({ firstMs: pollMs, forMs: prepareMs });
  for (;;) {
    const processes = checking(await liveProcesses(prisma));
    const pending = processes.filter((process) => !hasChecked(process));
    const refusing = processes.filter(
      (process) => hasChecked(process) && process.candidate_error !== "",
    );
    if (pending.length === 0 && refusing.length > 0) return unservable(refusing, []);
    if (pending.length === 0) {
      const publication = await commit(parts, draft, candidate, (live) =>
        checking(live).every((one) => hasChecked(one) && one.candidate_error === ""),
      );
      if (publication !== undefined) return publication;
    }
    if (!(await pauses.next())) return unservable(refusing, pending);
  }
}

function unservable(
  refusing: readonly LiveProcess[],
  pending: readonly LiveProcess[],
): Publication {
  const reason = `has not checked it within ${prepareMs / 1_000} seconds`;
  const processes = [
    ...refusing.map(({ name, candidate_error }) => ({ name, reason: candidate_error })),
    ...pending.map(({ name }) => ({ name, reason })),
  ];
  return { kind: "unservable", processes };
}

/**
 * Stores the revision, in one transaction with its audit record. Resolves with undefined if a process that
 * has not checked it has become live.
 */
function commit(
  { prisma, actor }: PublishParts,
  draft: Draft,
  candidate: Candidate,
  isServable: (live: readonly LiveProcess[]) => boolean,
): Promise<Publication | undefined> {
  return prisma.$transaction(async (transaction) => {
    if (!isServable(await liveProcesses(transaction))) return undefined;
    if (!(await removeCandidate(transaction, candidate.id))) return { kind: "busy" };
    const newest = await newestRevision(transaction);
    if (newest !== draft.baseRevision) return { kind: "outdated", newest };
    return { kind: "published", revision: await storeRevision(transaction, actor, draft) };
  });
}

async function storeRevision(
  transaction: Prisma.TransactionClient,
  actor: AuditActor,
  { action, text, catalog, providers, baseRevision, reason, restoresRevision }: Draft,
) {
  const revision = baseRevision + 1n;
  const models = catalog.models.size;
  const stored = await insertRevision(transaction, actor, {
    ...{ revision, text, models, providers, reason, restoresRevision },
  });
  await recordChange(transaction, actor, {
    action,
    subjectKind: "catalog",
    subjectId: String(revision),
    before: { revision: String(baseRevision) },
    after: {
      revision: String(revision),
      reason,
      ...(restoresRevision === undefined ? {} : { restores_revision: String(restoresRevision) }),
    },
  });
  return toRevision(stored);
}

async function untilServed(prisma: PrismaClient, revision: bigint): Promise<void> {
  const pauses = new Pauses({ firstMs: pollMs, forMs: switchMs });
  do {
    const processes = await liveProcesses(prisma);
    if (processes.every((process) => isCurrent(process, { revision }))) return;
  } while (await pauses.next());
}
