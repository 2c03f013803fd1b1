import type { Catalog, Model } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";

/** The service that serves the models of each route type. */
const serviceOfRoute: Readonly<Record<RouteType, string>> = {
  chat: "chat",
  embeddings: "chat",
  speech: "audio",
  transcriptions: "audio",
  rerank: "document",
  ocr: "document",
  classification: "document",
  images: "image",
};

/** Returns the service that serves a model. */
export function serviceOf({ routeType }: Model): string {
  return serviceOfRoute[routeType];
}

/** A revision that a process serves. */
export interface ServedCatalog {
  revision: bigint;
  text: string;
  /** The catalog of the revision. */
  own: Catalog;
  /**
   * `own` with the models of the previous revision that it has removed or made less visible. They are served
   * for some more seconds, because clients may have listed them at an edge with the previous revision.
   */
  withRetiring: Catalog;
  /** The aliases of those models. They are not listed. */
  retiring: ReadonlySet<string>;
  /** The revision since which each alias has at least its present visibility, as far as the process knows. */
  since: ReadonlyMap<string, bigint>;
}

const widths = { public: 2, unlisted: 1, internal: 0 } as const;

/** Returns whether `other` has the route of `one`, and at least its visibility. */
function isAsWide(one: Model, other: Model | undefined): boolean {
  if (other?.routeType !== one.routeType) return false;
  return widths[other.visibility] >= widths[one.visibility];
}

/** Returns a revision as it is served after the revision `before`, which is undefined for the first. */
export function serveAfter(
  before: ServedCatalog | undefined,
  { revision, text, catalog: own }: { revision: bigint; text: string; catalog: Catalog },
): ServedCatalog {
  const models = new Map(own.models);
  const retiring = new Set<string>();
  for (const [alias, model] of before?.own.models ?? []) {
    if (isAsWide(model, own.models.get(alias))) continue;
    models.set(alias, model);
    retiring.add(alias);
  }
  const since = [...own.models].map(([alias, model]): [string, bigint] => {
    const earlier = before?.own.models.get(alias);
    const isKept = earlier !== undefined && isAsWide(model, earlier);
    return [alias, isKept ? (before?.since.get(alias) ?? revision) : revision];
  });
  const withRetiring = retiring.size === 0 ? own : { ...own, models };
  return { revision, text, own, withRetiring, retiring, since: new Map(since) };
}
