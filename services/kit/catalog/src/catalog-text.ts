import { StartError } from "@tollgate/core/errors";
import { type Document, parseDocument, visit } from "yaml";

/**
 * Returns the value of a catalog file. Throws a StartError for a text that is not YAML, or whose aliases
 * expand to too much.
 */
export function readCatalogText(text: string): unknown {
  return writtenJson(text) ?? parseYaml(text);
}

/**
 * Returns the value of a text that a program wrote as JSON, which the YAML parser reads in 70 times the
 * time. What was written by hand, such as an object that has a name twice, is left to that parser.
 */
function writtenJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const [problem = ""] = broken.message.split("\n");
    throw new StartError(`the file is not YAML: ${problem.replace(/:$/, "")}`);
  }
  return expandedValue(document);
}

/** A few kilobytes of aliases that contain aliases would expand to gigabytes. */
const maxAliases = 100;

/** Returns the value of a document. */
function expandedValue(document: Document): unknown {
  let aliases = 0;
  visit(document, {
    Alias() {
      aliases += 1;
    },
  });
  if (aliases > maxAliases) {
    throw new StartError(`the file has ${aliases} YAML aliases: it may have at most ${maxAliases}`);
  }
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    throw new StartError("the file has too many YAML aliases of aliases", { cause });
  }
}
