import { readFile } from "node:fs/promises";
import { type CatalogPublication, CatalogSource } from "@tollgate/proto/tollgate/v1/catalog";
import { UsageError } from "../help.ts";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import {
  currentText,
  diffJson,
  diffLines,
  lagging,
  processJson,
  revisionColumns,
  revisionJson,
  revisionLine,
  sourceText,
} from "../text/catalog-lines.ts";
import { formatTable } from "../text/table.ts";
import type { Command, CommandOptions, OperatorClient, Output } from "./command.ts";
import { listOutput } from "./list-output.ts";

/** Publishing waits for every process. */
const timeoutMs = 60_000;

/** `tollgate catalog list` */
export const listRevisionsCommand: Command = {
  takes: [],
  options: searchedOptions,
  async run(_args, { before = "0", ...options }, operator) {
    const page = readSearchedPage(options, namedTimeOrders);
    const { revisions, nextRevision } = await operator().listCatalogRevisions({
      ...{ beforeRevision: readRevision(before), ...page },
    });
    return listOutput("revisions", {
      rows: revisions,
      next: nextRevision === 0n ? "" : String(nextRevision),
      toLines: (rows) => formatTable(revisionColumns, rows),
      toJson: revisionJson,
    });
  },
};

/** `tollgate catalog show` */
export const showRevisionCommand: Command = {
  takes: [],
  mayTake: "REVISION",
  options: [],
  async run([number = "0"], _options, operator) {
    const found = await operator().getCatalogRevision({ revision: readRevision(number) });
    const { revision, text } = found;
    return {
      lines: [...(revision === undefined ? [] : [`# ${revisionLine(revision)}`]), text.trimEnd()],
      json: { revision: revision === undefined ? null : revisionJson(revision), text },
    };
  },
};

/** `tollgate catalog export`: the text alone. */
export const exportCatalogCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { text } = await operator().getCatalogRevision({});
    return { lines: text === "" ? [] : [text.replace(/\n$/, "")], json: { text } };
  },
};

/** `tollgate catalog diff` */
export const diffCatalogCommand: Command = {
  takes: ["FROM"],
  mayTake: "TO",
  options: [],
  async run([from = "", to = "0"], _options, operator) {
    const client = operator();
    const value = readRevision(to) || (await client.getCatalogStatus({})).revision;
    const { lines } = await client.getCatalogDiff({
      fromRevision: readRevision(from),
      to: { case: "toRevision", value },
    });
    return { lines: diffLines(lines), json: { lines: lines.map(diffJson) } };
  },
};

/** `tollgate catalog publish` */
export const publishCatalogCommand: Command = {
  takes: ["FILE"],
  options: ["reason", "base", "without"],
  async run([file = ""], options, operator) {
    return publishText(operator(), await readFile(file, "utf8"), options);
  },
};

/** `tollgate catalog import`: compares a file with the catalog in use, or publishes it. */
export const importCatalogCommand: Command = {
  takes: ["FILE"],
  options: ["publish", "reason", "base", "without"],
  async run([file = ""], options, operator) {
    const text = await readFile(file, "utf8");
    const client = operator();
    if (options.publish === true) {
      return publishText(client, text, { ...options, reason: options.reason ?? `import ${file}` });
    }
    const [{ errors, warnings }, { lines }] = await Promise.all([
      client.checkCatalog({ text }),
      client.getCatalogDiff({ to: { case: "toText", value: text } }),
    ]);
    const isValid = errors.length === 0;
    return {
      lines: [
        ...errors.map((error) => `error: ${error}`),
        ...warnings.map((warning) => `warning: ${warning}`),
        ...diffLines(lines),
        ...(isValid ? ["nothing has changed: --publish publishes it"] : []),
      ],
      json: { errors, warnings, lines: lines.map(diffJson) },
      failed: !isValid,
    };
  },
};

/** `tollgate catalog rollback` */
export const rollBackCatalogCommand: Command = {
  takes: ["REVISION"],
  options: ["reason", "base", "without"],
  async run([number = ""], { reason = "", base, without = [] }, operator) {
    const client = operator();
    const baseRevision = await baseOf(client, base);
    const request = { revision: readRevision(number), baseRevision, reason, without };
    const { publication } = await client.rollBackCatalog(request, { timeoutMs });
    return publicationOutput(publication);
  },
};

/** `tollgate catalog status` */
export const catalogStatusCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const { source, file, revision, processes, isPublishing } = await operator().getCatalogStatus(
      {},
    );
    const isFile = source === CatalogSource.FILE;
    const name = isFile ? `the file ${file}` : `revision ${revision}`;
    return {
      lines: [
        `${name}: ${currentText(processes)}`,
        ...(isPublishing ? ["another revision is being published"] : []),
        ...lagging(processes),
      ],
      json: {
        source: sourceText(source),
        file: isFile ? file : null,
        revision: isFile ? null : Number(revision),
        is_publishing: isPublishing,
        processes: processes.map(processJson),
      },
      failed: processes.some(({ isCurrent }) => !isCurrent),
    };
  },
};

async function publishText(
  client: OperatorClient,
  text: string,
  { reason = "", base, without = [] }: CommandOptions,
): Promise<Output> {
  const request = { text, baseRevision: await baseOf(client, base), reason, without };
  const { publication } = await client.publishCatalog(request, { timeoutMs });
  return publicationOutput(publication);
}

/** Without `--base`, a draft is based on the newest revision. */
async function baseOf(client: OperatorClient, base: string | undefined): Promise<bigint> {
  return base === undefined ? (await client.getCatalogStatus({})).revision : readRevision(base);
}

function publicationOutput(publication: CatalogPublication | undefined): Output {
  const result = publication?.result ?? { case: undefined };
  if (result.case === "published") {
    const { revision, processes, warnings } = result.value;
    return {
      lines: [
        `revision ${revision?.revision}: ${currentText(processes)}`,
        ...lagging(processes),
        ...warnings.map((warning) => `warning: ${warning}`),
      ],
      json: {
        result: "published",
        revision: revision === undefined ? null : revisionJson(revision),
        processes: processes.map(processJson),
        warnings,
      },
    };
  }
  return { ...refusalOutput(result), failed: true };
}

function refusalOutput(
  result: Exclude<CatalogPublication["result"], { case: "published" }>,
): Output {
  if (result.case === "invalid") {
    const { errors } = result.value;
    return {
      lines: errors.map((error) => `error: ${error}`),
      json: { result: "invalid", errors },
    };
  }
  if (result.case === "outdated") {
    const { revisions, lines } = result.value;
    return {
      lines: [
        "not published: other revisions were published since the base of this one",
        ...revisions.map(revisionLine),
        ...diffLines(lines),
      ],
      json: {
        result: "outdated",
        revisions: revisions.map(revisionJson),
        lines: lines.map(diffJson),
      },
    };
  }
  if (result.case === "busy") {
    const line = "not published: another draft is being published. Try again in a moment.";
    return { lines: [line], json: { result: "busy" } };
  }
  const processes = result.case === "unservable" ? result.value.processes : [];
  return {
    lines: [
      "not published: these processes cannot serve it",
      ...processes.map(({ name, reason }) => `${name}: ${reason}`),
    ],
    json: {
      result: "unservable",
      processes: processes.map(({ name, reason }) => ({ name, reason })),
    },
  };
}

function readRevision(text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw new UsageError(`${text} must be the number of a revision`);
}
