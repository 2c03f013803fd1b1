import { useQuery } from "@connectrpc/connect-query";
import { type AuditRecord, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { changesOf } from "./audit-changes.ts";
import "./settings.css";

/** Every change: who made it, and what was there before and after. */
export function AuditLog({ before, size }: { before: string | undefined; size: number }) {
  const read = useQuery(OperatorService.method.listAudit, {
    limit: size,
    beforeId: before ?? "",
  });
  return (
    <Section title="Audit log" note="every change, the newest first">
      <Loaded query={read}>
        {({ records, hasMore }) =>
          records.length === 0 ? (
            <Empty icon="requests" title="Nothing has been changed yet" />
          ) : (
            <>
              <DataTable caption="Changes" columns={columns} rows={records} idOf={({ id }) => id} />
              <Pager before={before} next={hasMore ? records.at(-1)?.id : undefined} size={size} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const columns: readonly DataColumn<AuditRecord>[] = [
  { header: timeHeader, cell: ({ at }) => <Time at={at} as="seconds" /> },
  {
    header: "Who",
    cell: ({ actorKind, actorName, actorId }) =>
      actorKind === "local" ? "the machine's CLI" : `${actorName || actorId} (${actorKind})`,
  },
  { header: "Action", cell: ({ action }) => <code>{action}</code> },
  {
    header: "Subject",
    cell: ({ subjectKind, subjectId }) => (
      <span className="cut" title={subjectId}>
        {subjectKind} <code className="quiet">{subjectId}</code>
      </span>
    ),
  },
  {
    header: "Change",
    cell: (record) => (
      <ul className="changes">
        {changesOf(record).map(({ name, was, is }) => (
          <li key={name}>
            <span className="quiet">{name}</span> {was !== undefined && <del>{was}</del>}{" "}
            {is !== undefined && <ins>{is}</ins>}
          </li>
        ))}
      </ul>
    ),
  },
];
