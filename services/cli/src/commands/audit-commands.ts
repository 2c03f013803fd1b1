import type { AuditRecord } from "@tollgate/proto/tollgate/v1/operator";
import { namedTimeOrders, readSearchedPage, searchedOptions } from "../options/list-options.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";
import { listOutput } from "./list-output.ts";

/** `tollgate audit list` */
export const listAuditCommand: Command = {
  takes: [],
  options: ["account", ...searchedOptions],
  async run(_args, { account = "", before = "", ...options }, operator) {
    const page = readSearchedPage(options, namedTimeOrders);
    const { records, nextId } = await operator().listAudit({
      ...{ account, beforeId: before, ...page },
    });
    return listOutput("records", {
      rows: records,
      next: nextId,
      toLines: (rows) => rows.map(recordLine),
      toJson: recordJson,
    });
  },
};

function recordLine(record: AuditRecord): string {
  const { actorKind, actorName, action, subjectId, before, after } = record;
  const actor = actorName === "" ? actorKind : `${actorKind} ${actorName}`;
  return `${isoTime(record.at)} ${actor}: ${action} ${subjectId} ${before} → ${after}`;
}

function recordJson(record: AuditRecord) {
  return {
    id: record.id,
    at: isoTime(record.at),
    actor: { kind: record.actorKind, id: record.actorId, name: record.actorName },
    action: record.action,
    subject: { kind: record.subjectKind, id: record.subjectId },
    account_id: record.accountId,
    before: JSON.parse(record.before) as unknown,
    after: JSON.parse(record.after) as unknown,
  };
}
