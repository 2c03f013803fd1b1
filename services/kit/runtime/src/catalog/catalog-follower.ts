import type { Catalog, Model } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { hashOfText } from "@tollgate/catalog/watch";
import { StartError } from "@tollgate/core/errors";
import { type Repeating, repeat } from "@tollgate/core/repeat";
import { CatalogSource, type SyncCatalogResponse } from "@tollgate/proto/tollgate/v1/catalog";
import { readCatalogCopy, writeCatalogCopy } from "./catalog-copy.ts";
import type { CatalogOrigin, OriginParts } from "./catalog-origin.ts";
import { leaveCatalog } from "./leave-catalog.ts";
import { type ServedCatalog, serveAfter, serviceOf } from "./served-catalog.ts";

/** How often a process polls for the newest revision. It also polls when a notice arrives. */
const pollMs = 1_000;
/** How often an edge polls while it waits until the other services have the revision. */
const waitingPollMs = 200;
/** For how long an edge polls that often, and for how long a removed model is still served. */
const settleMs = 10_000;
const timeoutMs = 5_000;
/** How often a revision that was refused is checked again: a variable or a secret may be set. */
const retryMs = 5_000;
/** A process that starts serves the copy of the last revision after this time without billing. */
const copyAfterMs = 5_000;
const maxReasonLength = 500;

/** The catalog before the first revision is published. */
const emptyCatalog: Catalog = {
  providers: new Map(),
  models: new Map(),
  plans: new Map(),
  limits: { requestsPerMinute: 600, tokensPerMinute: 1_000_000 },
};

/**
 * Opens the catalog in the database. Resolves once billing has returned the newest revision, or once the copy
 * in `copyFile` is served because billing cannot be reached.
 */
export async function followRevisions(
  parts: OriginParts,
  copyFile: string | undefined,
): Promise<CatalogOrigin> {
  const follower = new CatalogFollower(parts, copyFile);
  await follower.opened;
  // Functions, because users destructure the object.
  return {
    current: () => follower.current(),
    isNewest: () => follower.isNewest(),
    isListed: (model) => follower.isListed(model),
    file: undefined,
    recheck: () => follower.recheck(),
    stop: () => follower.stop(),
  };
}

interface Revision {
  revision: bigint;
  text: string;
}

class CatalogFollower {
  readonly opened: Promise<void>;
  readonly #parts: OriginParts;
  readonly #copyFile: string | undefined;
  readonly #polling: Repeating;
  readonly #startedAt = performance.now();
  readonly #opening = Promise.withResolvers<void>();
  /** The last revision that billing has sent. */
  #newest: Revision | undefined;
  #served: ServedCatalog | undefined;
  #servedAt = 0;
  #refusal: { revision: bigint; textHash: string; reason: string; at: number } | undefined;
  #candidate: { id: string; error: string } | undefined;
  #parsed: { text: string; catalog: Catalog } | undefined;
  /** The lowest revision that the processes of each service serve. */
  readonly #lowest = new Map<string, bigint>();
  #isReachable = true;

  constructor(parts: OriginParts, copyFile: string | undefined) {
    this.#parts = parts;
    this.#copyFile = copyFile;
    this.opened = this.#opening.promise;
    this.#polling = repeat(() => this.#poll(), { everyMs: () => this.#pauseMs() });
    parts.notices.subscribe("catalog.changed", () => this.#polling.wake());
    parts.notices.onMissed(() => this.#polling.wake());
    this.#polling.wake();
  }

  current(): Catalog {
    return this.#served?.withRetiring ?? emptyCatalog;
  }

  isNewest(): boolean {
    return this.#served !== undefined && this.#refusal === undefined;
  }

  isListed(model: Model): boolean {
    const served = this.#served;
    if (served === undefined || served.retiring.has(model.alias)) return false;
    const service = serviceOf(model);
    if (this.#parts.here.has(service)) return true;
    const lowest = this.#lowest.get(service) ?? 0n;
    return lowest > 0n && lowest >= (served.since.get(model.alias) ?? served.revision);
  }

  async recheck(): Promise<void> {
    const { revision, text } = this.#served ?? {};
    if (revision === undefined || text === undefined) return;
    const error = await this.#problemOf(text);
    if (error === "") return;
    this.#served = undefined;
    this.#refuse({ revision, text }, error);
    this.#polling.wake();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await leaveCatalog(this.#parts.client, this.#parts.identity);
  }

  /** Reports to billing and accepts its response. Polls again at once if the report has changed. */
  async #poll(): Promise<void> {
    try {
      const response = await this.#parts.client.syncCatalog(this.#report(), { timeoutMs });
      this.#isReachable = true;
      for (const { service, lowestRevision } of response.served) {
        this.#lowest.set(service, lowestRevision);
      }
      const hasChanged = await this.#accept(response);
      this.#opening.resolve();
      if (hasChanged) this.#polling.wake();
    } catch (error) {
      const reason = (error as Error).message;
      if (this.#isReachable)
        this.#parts.log.warn({ reason }, "reading the catalog failed and will be retried");
      this.#isReachable = false;
      await this.#openCopy();
    }
  }

  #report() {
    const { revision = 0n, text } = this.#served ?? {};
    const { at: _, ...refusal } = this.#refusal ?? {};
    return {
      ...this.#parts.identity,
      services: this.#parts.services(),
      source: CatalogSource.DATABASE,
      revision,
      textHash: text === undefined ? "" : hashOfText(text),
      ...(this.#refusal && { refusal }),
      candidateId: this.#candidate?.id ?? "",
      candidateError: this.#candidate?.error ?? "",
      knownRevision: this.#newest?.revision ?? 0n,
    };
  }

  /** Resolves with whether the next report of the process differs. */
  async #accept({ revision, text, candidate }: SyncCatalogResponse): Promise<boolean> {
    let hasChanged = false;
    if (text !== undefined || revision === 0n) this.#newest = { revision, text: text ?? "" };
    if (candidate?.text !== undefined) {
      this.#candidate = { id: candidate.id, error: await this.#problemOf(candidate.text) };
      hasChanged = true;
    }
    if (this.#newest === undefined || this.#newest.revision === this.#served?.revision) {
      return hasChanged;
    }
    const isRefused = this.#refusal?.revision === this.#newest.revision;
    if (isRefused && performance.now() - (this.#refusal?.at ?? 0) < retryMs) return hasChanged;
    return (await this.#adopt(this.#newest)) || !isRefused || hasChanged;
  }

  /** Serves a revision, or refuses it. Resolves with whether it is served. */
  async #adopt(newest: Revision): Promise<boolean> {
    const error = await this.#problemOf(newest.text);
    if (error !== "") {
      this.#refuse(newest, error);
      return false;
    }
    const { log, metrics, readiness } = this.#parts;
    const served = serveAfter(this.#served, { ...newest, catalog: this.#catalogOf(newest.text) });
    this.#served = served;
    this.#servedAt = performance.now();
    this.#refusal = undefined;
    if (served.retiring.size > 0) setTimeout(() => this.#retire(served), settleMs).unref();
    metrics.catalogRevision.set(Number(served.revision));
    metrics.catalogRefused.set(0);
    readiness.setRefusing(false);
    log.info({ revision: served.revision, models: served.own.models.size }, "catalog in use");
    if (this.#copyFile !== undefined) await writeCatalogCopy(this.#copyFile, newest, log);
    return true;
  }

  #retire(served: ServedCatalog): void {
    if (this.#served !== served) return;
    this.#served = { ...served, withRetiring: served.own, retiring: new Set() };
  }

  #refuse({ revision, text }: Revision, reason: string): void {
    const { here, log, metrics, readiness } = this.#parts;
    const isNew = this.#refusal?.revision !== revision || this.#refusal.reason !== reason;
    this.#refusal = { revision, textHash: hashOfText(text), reason, at: performance.now() };
    if (!isNew) return;
    log.error({ revision, reason }, "revision of the catalog refused");
    metrics.catalogRefused.set(1);
    // The operator's API, by which the catalog is changed, must remain reachable.
    if (here.size > 1 || !here.has("billing")) readiness.setRefusing(true);
  }

  /** Resolves with the reason why the process cannot serve a text; empty if it can. */
  async #problemOf(text: string): Promise<string> {
    try {
      await this.#parts.checkRevision(this.#catalogOf(text));
      return "";
    } catch (error) {
      if (!(error instanceof StartError))
        this.#parts.log.error({ err: error }, "catalog not checked");
      const reason = error instanceof StartError ? error.message : "it could not be checked";
      return reason.slice(0, maxReasonLength);
    }
  }

  #catalogOf(text: string): Catalog {
    if (text === "") return emptyCatalog;
    if (this.#parsed?.text !== text) {
      this.#parsed = { text, catalog: parseCatalog(text, this.#parts.kinds) };
    }
    return this.#parsed.catalog;
  }

  #pauseMs(): number {
    const { here } = this.#parts;
    const isSettling = performance.now() - this.#servedAt < settleMs;
    if (!here.has("edge") || this.#served === undefined || !isSettling) return pollMs;
    const models = [...this.#served.own.models.values()];
    return models.every((model) => this.isListed(model)) ? pollMs : waitingPollMs;
  }

  async #openCopy(): Promise<void> {
    const isDue = performance.now() - this.#startedAt >= copyAfterMs;
    if (this.#copyFile === undefined || this.#served !== undefined || !isDue) return;
    const copy = await readCatalogCopy(this.#copyFile);
    if (copy === undefined || !(await this.#adopt(copy))) return;
    this.#newest = copy;
    this.#parts.log.warn(
      { revision: copy.revision },
      "billing is away: the last revision is served",
    );
    this.#opening.resolve();
  }
}
