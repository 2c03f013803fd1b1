import { readFile } from "node:fs/promises";
import { readCatalogText } from "@tollgate/catalog/catalog-text";
import { toCheckedCatalog } from "@tollgate/catalog/parse";
import { StartError } from "@tollgate/core/errors";
import { loadListPrices } from "@tollgate/list-prices/list-prices";
import { vendors } from "@tollgate/providers";
import type { z } from "zod";
import { type Imported, importedLines } from "../imports/catalog-draft.ts";
import { importLiteLlm } from "../imports/litellm.ts";
import { liteLlmConfig, liteLlmKeys } from "../imports/litellm-config.ts";
import { importNewApi } from "../imports/new-api.ts";
import { newApiExport } from "../imports/new-api-export.ts";
import type { Command, Output } from "./command.ts";

/** `import litellm CONFIG.yaml [--keys KEYS.json]` */
export const importLiteLlmCommand: Command = {
  takes: ["CONFIG"],
  options: ["keys"],
  async run([file = ""], { keys: keysFile }) {
    const config = await read(file, liteLlmConfig);
    const { keys } = keysFile === undefined ? { keys: [] } : await read(keysFile, liteLlmKeys);
    return toOutput(importLiteLlm(config, keys, await loadListPrices(new Date())));
  },
};

/** `import new-api EXPORT.json` */
export const importNewApiCommand: Command = {
  takes: ["EXPORT"],
  options: [],
  async run([file = ""]) {
    const exported = await read(file, newApiExport);
    return toOutput(importNewApi(exported, await loadListPrices(new Date())));
  },
};

/** Reads a file of YAML or JSON. Throws a StartError that names the place of the first error. */
async function read<T extends z.ZodType>(file: string, schema: T): Promise<z.infer<T>> {
  const parsed = schema.safeParse(readCatalogText(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StartError(`${file}: ${issue?.path.join(".") || "the file"}: ${issue?.message}`);
}

/** A catalog that is not valid is written, too: its first error is the first note. */
function toOutput(imported: Imported): Output {
  const problem = problemOf(imported.catalog);
  const notes = problem === undefined ? [] : [`the catalog is not valid yet: ${problem}`];
  const json = { ...imported, notes: [...notes, ...imported.notes] };
  return { lines: importedLines(json), json, failed: problem !== undefined };
}

function problemOf(catalog: unknown): string | undefined {
  try {
    toCheckedCatalog(catalog, vendors);
    return undefined;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}
