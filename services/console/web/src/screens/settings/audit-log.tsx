import { useQuery } from "@connectrpc/connect-query";
import { type AuditRecord, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { type ListSearch, pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountFilter } from "../../ui/filter-bar.tsx";
import { AccountLink, KeyLink } from "../../ui/named.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time, timeHeader } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";
import { changesOf } from "./audit-changes.ts";
import "./settings.css";

/** Every change: who made it, and what was there before and after. */
export function AuditLog({ search }: { search: ListSearch<string> & { account?: string } }) {
  const read = useQuery(
    OperatorService.method.listAudit,
    { ...timedPageOf(search), account: search.account ?? "", beforeId: search.before ?? "" },
    { placeholderData: (previous) => previous },
  );
  return (
    <Section title="Audit log" note="every change">
      <TimedListFilters label="Search by action, subject or who" search={search}>
        <AccountFilter account={search.account} />
      </TimedListFilters>
      <Loaded query={read}>
        {({ records, nextId, names }) =>
          records.length === 0 && nextId === "" ? (
            <Empty icon="requests" title="No change matches" />
          ) : (
            <>
              <DataTable
                caption="Changes"
                columns={columnsWith(names)}
                rows={records}
                idOf={({ id }) => id}
              />
              <Pager before={search.before} next={nextId || undefined} size={pageSizeOf(search)} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsWith(names: Readonly<Record<string, string>>): DataColumn<AuditRecord>[] {
  return [
    ...actionColumns,
    { header: "Subject", cell: (record) => <Subject record={record} names={names} /> },
    changeColumn,
  ];
}

interface SubjectProps {
  record: AuditRecord;
  /** By ids. */
  names: Readonly<Record<string, string>>;
}

/** The name of what was changed, and its kind. The pointer over a name shows the id. */
function Subject({ record, names }: SubjectProps) {
  const { subjectKind, subjectId, accountId } = record;
  const isOfAccount = accountId !== "" && accountId !== subjectId;
  return (
    <span className="stack">
      <SubjectName record={record} names={names} />
      <span className="quiet" title={accountId}>
        {subjectKind}
        {isOfAccount && ` of ${names[accountId] ?? accountId}`}
      </span>
    </span>
  );
}

function SubjectName({ record: { subjectKind, subjectId }, names }: SubjectProps) {
  if (subjectKind === "account" || subjectKind === "wallet") {
    return <AccountLink id={subjectId} names={names} />;
  }
  if (subjectKind === "key") return <KeyLink id={subjectId} names={names} />;
  return (
    <span className="cut" title={subjectId}>
      {names[subjectId] || subjectId}
    </span>
  );
}

const actionColumns: readonly DataColumn<AuditRecord>[] = [
  { header: timeHeader, cell: ({ at }) => <Time at={at} as="seconds" /> },
  {
    header: "Who",
    cell: ({ actorKind, actorName, actorId }) =>
      actorKind === "local" ? "the machine's CLI" : `${actorName || actorId} (${actorKind})`,
  },
  { header: "Action", cell: ({ action }) => <code>{action}</code> },
];

const changeColumn: DataColumn<AuditRecord> = {
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
};
