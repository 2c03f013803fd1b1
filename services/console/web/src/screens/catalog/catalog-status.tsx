import {
  type CatalogProcess,
  CatalogSource,
  type GetCatalogStatusResponse,
} from "@tollgate/proto/tollgate/v1/catalog";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Section } from "../../ui/screen.tsx";
import { Time } from "../../ui/time.tsx";
import "./catalog.css";

/** Which live processes serve the newest catalog, and why others do not. */
export function CatalogStatus({ status }: { status: GetCatalogStatusResponse }) {
  const { source, file, processes, isPublishing } = status;
  const current = processes.filter(({ isCurrent }) => isCurrent).length;
  const isFile = source === CatalogSource.FILE;
  const hasNone = !isFile && status.revision === 0n;
  return (
    <Section
      title={isFile ? "The file" : hasNone ? "No revision yet" : `Revision ${status.revision}`}
      note={!hasNone && `${current} of ${processes.length} processes serve it`}
    >
      {isFile && (
        <p className="notice">
          <Icon name="alert" size={16} />
          <span>
            The catalog is the file <code>{file}</code>. It is changed there, and cannot be
            published from here.
          </span>
        </p>
      )}
      {isPublishing && <p className="quiet">Another revision is being published.</p>}
      <DataTable
        caption="Processes that use the catalog"
        columns={columns}
        rows={processes}
        idOf={({ name }) => name}
      />
    </Section>
  );
}

const columns: readonly DataColumn<CatalogProcess>[] = [
  { header: "Process", cell: ({ name }) => <code className="process">{name}</code> },
  {
    header: "Serves",
    cell: ({ source, revision, isCurrent }) => (
      <span className="serves">
        {source === CatalogSource.FILE ? "a file" : `revision ${revision}`}{" "}
        <Badge tone={isCurrent ? "good" : "bad"}>{isCurrent ? "newest" : "lags"}</Badge>
      </span>
    ),
  },
  {
    header: "Refuses",
    cell: ({ refusal }) =>
      refusal === undefined ? (
        <span className="quiet">nothing</span>
      ) : (
        <span className="refusal">{refusal.reason}</span>
      ),
  },
  {
    header: "Seen",
    align: "right",
    isSecondary: true,
    cell: ({ seenAt }) => <Time at={seenAt} as="relative" />,
  },
];
