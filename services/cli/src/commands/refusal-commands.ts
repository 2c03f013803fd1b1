import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { refusalJson } from "../text/refusal-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

const usualPage = 50;

/** `tollgate refusal list` */
export const listRefusalsCommand: Command = {
  takes: [],
  options: ["account", "key", "error", ...searchedOptions],
  async run(_args, { account = "", key: keyId = "", ...options }, operator) {
    const { error: code = "", before: beforeRequestId = "" } = options;
    const page = readSearchedPage(options, namedTimeOrders, usualPage);
    const { refusals, nextRequestId } = await operator().listRefusals({
      ...{ account, keyId, code, beforeRequestId, ...page },
    });
    return listOutput("refusals", {
      rows: refusals,
      next: nextRequestId,
      toLines: (rows) => formatTable(columns, rows),
      toJson: refusalJson,
    });
  },
};

const columns: TableColumn<RequestRefusal>[] = [
  { title: "TIME", cell: ({ refusedAt }) => isoTime(refusedAt) ?? "", align: "left" },
  { title: "REQUEST", cell: ({ requestId }) => requestId, align: "left" },
  { title: "STATUS", cell: ({ status }) => String(status) },
  { title: "CODE", cell: ({ code }) => code, align: "left" },
  { title: "PARAM", cell: ({ param }) => param, align: "left", rank: 3 },
  { title: "MODEL", cell: ({ alias }) => alias, align: "left", rank: 2 },
  { title: "KEY", cell: ({ keyId, shownKey }) => keyId || shownKey, align: "left", rank: 1 },
];
