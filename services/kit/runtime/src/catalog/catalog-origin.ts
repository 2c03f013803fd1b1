import type { Catalog, Model } from "@tollgate/catalog/model";
import type { ProviderKinds } from "@tollgate/catalog/provider-kind";
import type { CatalogCheck } from "@tollgate/catalog/watch";
import type { Log } from "@tollgate/core/log";
import type { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "../broker/notices.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { Readiness } from "../operations/readiness.ts";

/** What a service needs to use the catalog. */
export interface CatalogUser {
  kinds: ProviderKinds;
  /** Billing's. */
  client: Client<typeof CatalogService>;
  /** Refuses a catalog that the service cannot serve. */
  check?: CatalogCheck;
  /** The same of a revision in the database, beside `check`: what operators can set before they publish. */
  checkRevision?: CatalogCheck;
}

/** The catalog as the services of a process share it. */
export interface SharedCatalog {
  /** Returns the catalog to serve. Call it for each request. It is empty until there is one. */
  current(): Catalog;
  /** Returns whether the process serves the newest catalog, and refuses none. */
  isNewest(): boolean;
  /** Returns whether a model of `current` may be listed: whether the service of its route has it. */
  isListed(model: Model): boolean;
  /** Returns the file that is the catalog; undefined where it is in the database. */
  file: (() => { path: string; text: string; hash: string }) | undefined;
}

/** Where the catalog of a process comes from. */
export interface CatalogOrigin extends SharedCatalog {
  /** Checks the catalog in use again, for a service that has started to use it. */
  recheck(): Promise<void>;
  stop(): Promise<void>;
}

/** What an origin is opened with. */
export interface OriginParts extends Pick<CatalogUser, "kinds" | "client"> {
  /** What the process reports of itself. */
  identity: { processId: string; name: string };
  /** The services of the process. */
  here: ReadonlySet<string>;
  /** Returns those that use the catalog so far. */
  services(): string[];
  /** Throws, or rejects with, a StartError where one of them refuses a catalog. */
  check(catalog: Catalog): Promise<void>;
  /** The same of a revision in the database. */
  checkRevision(catalog: Catalog): Promise<void>;
  notices: Notices;
  log: Log;
  metrics: Pick<Metrics, "catalogRevision" | "catalogRefused">;
  readiness: Pick<Readiness, "setRefusing">;
}
