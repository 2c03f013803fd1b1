import { readFile } from "node:fs/promises";
import { parseCatalog } from "@tollgate/catalog/parse";
import { dataSet, loadListPrices } from "./list-prices.ts";
import { priceWarnings } from "./price-warnings.ts";

/** Runs `catalog check`. Throws a StartError for a file that is not valid. */
export async function checkCatalog(file: string) {
  const catalog = parseCatalog(await readFile(file, "utf8"));
  const warnings = priceWarnings(catalog, await loadListPrices(new Date()));
  return {
    lines: [
      `${file}: ${catalog.models.size} models, valid`,
      ...warnings.map((warning) => `warning: ${warning}`),
      ...(warnings.length === 0 ? [] : [`list prices: ${dataSet}`]),
    ],
    json: { file, models: [...catalog.models.keys()], warnings },
  };
}
