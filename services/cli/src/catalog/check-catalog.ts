import { readFile } from "node:fs/promises";
import { CatalogError } from "@tollgate/catalog/catalog-problems";
import type { Catalog } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { catalogWarnings } from "@tollgate/catalog/warnings";
import type { Environment } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { reasoningWarnings } from "@tollgate/list-prices/hidden-reasoning-models";
import { dataSet, type ListPrices, loadListPrices } from "@tollgate/list-prices/list-prices";
import { priceWarnings } from "@tollgate/list-prices/price-warnings";
import { vendors } from "@tollgate/providers";
import { requireVariables } from "@tollgate/upstream/provider-variables";

/** Returns what `catalog check` warns of: in the catalog itself, and compared with list prices. */
export function warningsOf(catalog: Catalog, prices: ListPrices) {
  return {
    own: [...catalogWarnings(catalog), ...reasoningWarnings(catalog)],
    compared: priceWarnings(catalog, prices),
  };
}

/**
 * Runs `catalog check`. Throws a StartError with all errors of a file that is not valid and, with an
 * environment, where a variable that it names is not set there.
 */
export async function checkCatalog(file: string, env?: Environment) {
  const catalog = parseFile(await readFile(file, "utf8"));
  if (env !== undefined) requireVariables(catalog, env);
  const { own, compared } = warningsOf(catalog, await loadListPrices(new Date()));
  const warnings = [...own, ...compared];
  return {
    lines: [
      `${file}: ${catalog.models.size} models, valid`,
      ...warnings.map((warning) => `warning: ${warning}`),
      ...(compared.length === 0 ? [] : [`list prices: ${dataSet}`]),
    ],
    json: { file, models: [...catalog.models.keys()], warnings },
  };
}

function parseFile(text: string): Catalog {
  try {
    return parseCatalog(text, vendors);
  } catch (error) {
    if (error instanceof CatalogError) throw new StartError(error.problems.join("\n"));
    throw error;
  }
}
