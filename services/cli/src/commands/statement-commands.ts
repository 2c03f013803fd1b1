import { writeFile } from "node:fs/promises";
import { toJson } from "@bufbuild/protobuf";
import { formatUsd } from "@tollgate/core/money";
import {
  type Statement,
  type StatementLine,
  StatementSchema,
} from "@tollgate/proto/tollgate/v1/statement";
import { UsageError } from "../help.ts";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { csvLines } from "../text/csv-lines.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

/** The months of all accounts are read. */
const issueTimeoutMs = 60 * 60 * 1_000;

/** `tollgate statement list` */
export const listStatementsCommand: Command = {
  takes: [],
  options: ["account", ...searchedOptions],
  async run(_args, { account = "", before = "0", ...options }, operator) {
    const page = readSearchedPage(options, namedTimeOrders);
    const { statements, nextNumber } = await operator().listStatements({
      ...{ account, beforeNumber: readNumber(before), ...page },
    });
    return listOutput("statements", {
      rows: statements,
      next: nextNumber === 0n ? "" : String(nextNumber),
      toLines: (rows) => rows.map(statementLine),
      toJson: statementJson,
    });
  },
};

/** `tollgate statement show` */
export const showStatementCommand: Command = {
  takes: ["NUMBER"],
  options: ["csv"],
  async run([text = ""], { csv }, operator) {
    const found = await operator().getStatement({ number: readNumber(text), asCsv: csv ?? false });
    const { statement } = found;
    if (statement === undefined) throw new UsageError(`there is no statement ${text}`);
    const lines = csv
      ? csvLines(found.csv)
      : rowsOf(statement).map(([kind = "", at = "", reference = "", label = "", amount = ""]) =>
          [amount.padStart(16), kind, at, label, reference].filter(Boolean).join(" "),
        );
    return { lines, json: statementJson(statement) };
  },
};

/** `tollgate statement pdf` */
export const writeStatementCommand: Command = {
  takes: ["NUMBER", "FILE"],
  options: [],
  async run([text = "", file = ""], _options, operator) {
    const { pdf } = await operator().getStatement({ number: readNumber(text), asPdf: true });
    await writeFile(file, pdf);
    return { lines: [`wrote ${file}`], json: { file, bytes: pdf.length } };
  },
};

/** `tollgate statement issue` */
export const issueStatementsCommand: Command = {
  takes: [],
  options: [],
  async run(_args, _options, operator) {
    const options = { timeoutMs: issueTimeoutMs };
    const { issued, problems } = await operator().issueStatements({}, options);
    const lines = [`issued ${issued}`, ...problems];
    return { lines, json: { issued, problems }, failed: problems.length > 0 };
  },
};

function readNumber(text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw new UsageError("the number of a statement is a whole number");
}

function statementLine({ number, month, accountId, accountName, sums }: Statement): string {
  const closing = formatUsd(sums?.closingNanoUsd ?? 0n);
  return `${String(number).padStart(6, "0")} ${month} ${accountId} ${accountName} closing ${closing} USD`;
}

function statementJson(statement: Statement) {
  return toJson(StatementSchema, statement, { useProtoFieldName: true });
}

type Row = [kind: string, at: string, reference: string, label: string, amount: string];

/** Returns the rows of a statement. Their amounts are what is added to the balance. */
function rowsOf({ sums }: Statement): Row[] {
  if (sums === undefined) return [];
  const line =
    (kind: string) =>
    ({ at, reference, reason, amountNanoUsd, entries }: StatementLine): Row => [
      ...([kind, isoTime(at) ?? "", reference] as const),
      entries > 1n ? `${entries} more` : reason,
      formatUsd(amountNanoUsd),
    ];
  return [
    ["opening_balance", "", "", "", formatUsd(sums.openingNanoUsd)],
    ...sums.topUps.map(line("top_up")),
    ...sums.charges.map(({ alias, keyId, keyName, requests, chargedNanoUsd }): Row => {
      const label = `${alias} ${keyName} (${requests} requests)`.replace("  ", " ");
      return ["charge", "", keyId, label, formatUsd(-chargedNanoUsd)];
    }),
    ...sums.refunds.map(line("refund")),
    ...sums.adjustments.map(line("adjustment")),
    ["closing_balance", "", "", "", formatUsd(sums.closingNanoUsd)],
  ];
}
