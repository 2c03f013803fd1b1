import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";
import { readWholeNumber } from "../text/amounts.ts";
import { refusalJson } from "../text/refusal-lines.ts";
import { formatTable, type TableColumn } from "../text/table.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

const maxPage = 1_000;

/** `tollgate refusal list` */
export const listRefusalsCommand: Command = {
  takes: [],
  options: ["account", "key", "error", "limit", "before"],
  async run(_args, { account = "", key: keyId = "", limit = "50", ...options }, operator) {
    const { refusals, hasMore } = await operator().listRefusals({
      ...{ account, keyId },
      code: options.error ?? "",
      limit: readWholeNumber(limit, "--limit", maxPage),
      beforeRequestId: options.before ?? "",
    });
    const more = hasMore ? [`older refusals: --before ${refusals.at(-1)?.requestId ?? ""}`] : [];
    return {
      lines: [...formatTable(columns, refusals), ...more],
      json: { refusals: refusals.map(refusalJson), has_more: hasMore },
    };
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
