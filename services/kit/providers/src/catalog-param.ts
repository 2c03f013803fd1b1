import type { Catalog } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import { invalidParam, StartError } from "@tollgate/core/errors";
import { vendors } from "./index.ts";

/** Returns the catalog of a call's `text`, which is YAML. Throws `invalid_param` with its first error. */
export function readCatalogParam(text: string): Catalog {
  try {
    return parseCatalog(text, vendors);
  } catch (error) {
    if (error instanceof StartError) throw invalidParam("text", `is not valid: ${error.message}`);
    throw error;
  }
}
