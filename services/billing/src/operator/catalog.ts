import type { MessageInitShape } from "@bufbuild/protobuf";
import { problemsOfCatalog } from "@tollgate/catalog/catalog-problems";
import type { Catalog } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { catalogWarnings } from "@tollgate/catalog/warnings";
import { GatewayError, invalidParam, StartError } from "@tollgate/core/errors";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { priceWarnings } from "@tollgate/list-prices/price-warnings";
import { type CatalogPublicationSchema, CatalogSource } from "@tollgate/proto/tollgate/v1/catalog";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { vendors } from "@tollgate/providers";
import type { Implementation } from "@tollgate/rpc/implementation";
import { readCandidate } from "../catalog/candidates.ts";
import { diffTexts } from "../catalog/diff.ts";
import { liveProcesses, type NewestCatalog, toProcess } from "../catalog/processes.ts";
import { type Draft, type Publication, publishDraft } from "../catalog/publish.ts";
import {
  listRevisions,
  newestRevision,
  pageRevisions,
  requireRevision,
  textOfRevision,
  toRevision,
} from "../catalog/revisions.ts";
import { missingPlanWarnings } from "../plans.ts";
import { pageSize } from "./account-messages.ts";
import type { OperatorParts } from "./parts.ts";

const maxCatalogCharacters = 1024 * 1024;
const maxReasonLength = 500;
const maxMissedRevisions = 100;

type CatalogPublication = MessageInitShape<typeof CatalogPublicationSchema>;

/** The operator's calls about the texts of the catalog. */
export function implementCatalogCalls(parts: OperatorParts) {
  const { prisma, catalogFile } = parts;

  const textInUse = async () =>
    catalogFile?.().text ?? textOfRevision(prisma, await newestRevision(prisma));

  async function publish(draft: Omit<Draft, "catalog" | "providers">): Promise<CatalogPublication> {
    requirePublishable(parts, draft);
    const { catalog, errors } = parseText(draft.text);
    if (catalog === undefined) return { result: { case: "invalid", value: { errors } } };
    const providers = catalog.providers.size;
    const publication = await publishDraft(parts, { ...draft, catalog, providers });
    return toPublication(parts, draft, catalog, publication);
  }

  return {
    async checkCatalog({ text }) {
      requireSize(text);
      const { catalog, errors } = parseText(text);
      return catalog === undefined ? { errors } : { warnings: await warningsOf(parts, catalog) };
    },
    async listCatalogRevisions({ limit, beforeRevision: before, search, order }) {
      const page = { limit: pageSize(limit), before, search, order };
      const { revisions, next = 0n } = await pageRevisions(prisma, page);
      return {
        revisions: revisions.map(toRevision),
        ...{ hasMore: next !== 0n, nextRevision: next },
      };
    },
    async getCatalogRevision({ revision: number }) {
      if (number === 0n && catalogFile !== undefined) return { text: catalogFile().text };
      const wanted = number === 0n ? await newestRevision(prisma) : number;
      if (wanted === 0n) return {};
      const { text, ...revision } = await requireRevision(prisma, wanted);
      return { revision: toRevision(revision), text };
    },
    async getCatalogDiff({ fromRevision, to }) {
      if (to.case === "toText") requireSize(to.value);
      const [from, text] = await Promise.all([
        fromRevision === 0n ? textInUse() : textOfRevision(prisma, fromRevision),
        to.case === "toRevision" ? textOfRevision(prisma, to.value) : (to.value ?? ""),
      ]);
      return { lines: diffTexts(from, text) };
    },
    publishCatalog: async ({ $typeName: _, ...request }) => ({
      publication: await publish({ action: "PublishCatalog", ...request }),
    }),
    async rollBackCatalog({ revision, ...request }) {
      const { text } = await requireRevision(prisma, revision);
      const { baseRevision, reason, without } = request;
      const draft = { text, baseRevision, reason, without, restoresRevision: revision };
      return { publication: await publish({ action: "RollBackCatalog", ...draft }) };
    },
    async getCatalogStatus() {
      const [processes, newest, candidate] = await Promise.all([
        liveProcesses(prisma),
        readNewestCatalog(parts),
        readCandidate(prisma),
      ]);
      const isFile = catalogFile !== undefined;
      return {
        source: isFile ? CatalogSource.FILE : CatalogSource.DATABASE,
        file: catalogFile?.().path ?? "",
        revision: "revision" in newest ? newest.revision : 0n,
        processes: processes.map((process) => toProcess(process, newest)),
        isPublishing: !isFile && candidate !== undefined,
      };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

/** Resolves with the newest revision, or with the file that is the catalog. */
export async function readNewestCatalog({
  prisma,
  catalogFile,
}: Pick<OperatorParts, "prisma" | "catalogFile">): Promise<NewestCatalog> {
  if (catalogFile !== undefined) return { fileHash: catalogFile().hash };
  return { revision: await newestRevision(prisma) };
}

async function toPublication(
  parts: OperatorParts,
  { baseRevision }: Pick<Draft, "baseRevision">,
  catalog: Catalog,
  publication: Publication,
): Promise<CatalogPublication> {
  const { prisma } = parts;
  if (publication.kind === "busy") return { result: { case: "busy", value: {} } };
  if (publication.kind === "unservable") {
    return { result: { case: "unservable", value: { processes: publication.processes } } };
  }
  if (publication.kind === "outdated") {
    const missed = { before: 0n, after: baseRevision, take: maxMissedRevisions };
    const [revisions, base, newest] = await Promise.all([
      listRevisions(prisma, missed),
      textOfRevision(prisma, baseRevision),
      textOfRevision(prisma, publication.newest),
    ]);
    const value = { revisions: revisions.map(toRevision), lines: diffTexts(base, newest) };
    return { result: { case: "outdated", value } };
  }
  const { revision } = publication;
  const [processes, warnings] = await Promise.all([
    liveProcesses(prisma),
    warningsOf(parts, catalog),
  ]);
  const newest = { revision: revision.revision ?? 0n };
  return {
    result: {
      case: "published",
      value: {
        ...{ revision, warnings },
        processes: processes.map((process) => toProcess(process, newest)),
      },
    },
  };
}

/** Throws `invalid_param` if the catalog is a file, and for a text or a reason that is too long. */
function requirePublishable(
  { catalogFile }: OperatorParts,
  { text, reason }: Pick<Draft, "text" | "reason">,
): void {
  if (catalogFile !== undefined) {
    const { path } = catalogFile();
    const message = `The catalog of this gateway is the file ${path} (TOLLGATE_CATALOG). It is changed there, and cannot be published from here.`;
    throw new GatewayError("invalid_param", message, { param: "text" });
  }
  requireSize(text);
  if (reason.length > maxReasonLength) {
    throw invalidParam("reason", `must have at most ${maxReasonLength} characters`);
  }
}

function requireSize(text: string): void {
  if (text.length > maxCatalogCharacters) throw invalidParam("text", "must be at most 1 MiB");
}

function parseText(text: string): { catalog?: Catalog; errors: string[] } {
  try {
    return { catalog: parseCatalog(text, vendors), errors: [] };
  } catch (error) {
    if (error instanceof StartError) return { errors: [...problemsOfCatalog(error)] };
    throw error;
  }
}

async function warningsOf({ prisma, now }: OperatorParts, catalog: Catalog): Promise<string[]> {
  const [missing, prices] = await Promise.all([
    missingPlanWarnings(prisma, catalog),
    loadListPrices(now()),
  ]);
  return [...catalogWarnings(catalog), ...missing, ...priceWarnings(catalog, prices)];
}
