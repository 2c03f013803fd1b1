import type { Catalog } from "@tollgate/catalog/model";
import { allowsModel } from "@tollgate/catalog/model-policy";

/** Returns those patterns of a key that allow no model of the catalog in use. */
export function unmatchedModels(patterns: readonly string[], { models }: Catalog): string[] {
  const all = [...models.values()];
  return patterns.filter((one) => !all.some((model) => allowsModel([one], model)));
}
