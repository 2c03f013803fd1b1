import type { AuditRecord } from "@tollgate/proto/tollgate/v1/operator";
import { readWholeNumber } from "../text/amounts.ts";
import { isoTime } from "../text/times.ts";
import type { Command } from "./command.ts";

const maxPage = 1_000;

/** `tollgate audit list` */
export const listAuditCommand: Command = {
  takes: [],
  options: ["account", "limit", "before"],
  async run(_args, { account = "", limit = "100", before = "" }, operator) {
    const page = { limit: readWholeNumber(limit, "--limit", maxPage), beforeId: before };
    const { records, hasMore } = await operator().listAudit({ account, ...page });
    const more = hasMore ? [`older changes: --before ${records.at(-1)?.id ?? ""}`] : [];
    return {
      lines: [...(records.length === 0 ? ["none"] : records.map(recordLine)), ...more],
      json: { records: records.map(recordJson), has_more: hasMore },
    };
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
