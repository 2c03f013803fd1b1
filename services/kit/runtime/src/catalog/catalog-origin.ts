import type { Catalog, Model } from "@tollgate/catalog/model";
import type { ProviderKinds } from "@tollgate/catalog/provider-kind";
import type { CatalogCheck } from "@tollgate/catalog/watch";
import type { Log } from "@tollgate/core/log";
import type { CatalogService } from "@tollgate/proto/tollgate/v1/catalog";
import type { Client } from "@tollgate/rpc/implementation";
import type { Notices } from "../broker/notices.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { Readiness } from "../operations/readiness.ts";

/** A service that uses the catalog of its process. */
export interface CatalogUser {
  kinds: ProviderKinds;
  /** The client of billing. */
  client: Client<typeof CatalogService>;
  /** Refuses a catalog that the service cannot serve. */
  check?: CatalogCheck;
  /** Also refuses a revision in the database, for settings that operators can change before they publish it. */
  checkRevision?: CatalogCheck;
}

/** The catalog as the services of a process share it. */
export interface SharedCatalog {
  /** Returns the catalog to serve, which is empty before the first revision. Call it for each request. */
  current(): Catalog;
  /** Returns whether the process serves the newest catalog, and refuses none. */
  isNewest(): boolean;
  /** Returns whether a model of `current` may be listed, because the service of its route serves it. */
  isListed(model: Model): boolean;
  /** Returns the catalog file; undefined if the catalog is in the database. */
  file: (() => { path: string; text: string; hash: string }) | undefined;
}

/** Where the catalog of a process comes from. */
export interface CatalogOrigin extends SharedCatalog {
  /** Checks the catalog in use again, after another service has begun to use it. */
  recheck(): Promise<void>;
  stop(): Promise<void>;
}

export interface OriginParts extends Pick<CatalogUser, "kinds" | "client"> {
  /** The id and name by which the process reports to billing. */
  identity: { processId: string; name: string };
  /** The services of the process. */
  here: ReadonlySet<string>;
  /** Returns the services that use the catalog so far. */
  services(): string[];
  /** Rejects with a StartError if one of these services refuses a catalog. */
  check(catalog: Catalog): Promise<void>;
  /** Rejects with a StartError if one of these services refuses a revision in the database. */
  checkRevision(catalog: Catalog): Promise<void>;
  notices: Notices;
  log: Log;
  metrics: Pick<Metrics, "catalogRevision" | "catalogRefused">;
  readiness: Pick<Readiness, "setRefusing">;
}
