import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Warning } from "@tollgate/proto/tollgate/v1/warning";
import { useAccess } from "../../calls/use-session.ts";
import { pageSizeOf, timedPageOf } from "../../search/list-search.ts";
import type { WarningsSearch } from "../../search/warnings-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { AccountFilter, KeyFilter } from "../../ui/filter-bar.tsx";
import { KeyLink } from "../../ui/named.tsx";
import { Section } from "../../ui/screen.tsx";
import { Pager, useSearchChange } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { TimedListFilters } from "../../ui/timed-list-filters.tsx";

/** The warnings of an account, or of the gateway. */
export function WarningList({ search }: { search: WarningsSearch }) {
  const { account = "", key = "", open = false, before } = search;
  const { isCustomer, canSeeKeys } = useAccess();
  const change = useSearchChange();
  const warnings = useQuery(
    OperatorService.method.listWarnings,
    {
      ...timedPageOf(search),
      ...{ account, keyId: key, onlyOpen: open, beforeWarningId: before ?? "" },
    },
    { placeholderData: (previous) => previous },
  );
  const hasKeys = canSeeKeys && (isCustomer || account !== "");
  return (
    <Section title="Warnings">
      <TimedListFilters label="Search by title or text" search={search}>
        {!isCustomer && <AccountFilter account={account} placeholder="The gateway" />}
        {hasKeys && <KeyFilter account={account} value={key} />}
        <label className="filter">
          <input
            type="checkbox"
            checked={open}
            onChange={(event) => change({ open: event.target.checked ? true : undefined })}
          />
          Open only
        </label>
      </TimedListFilters>
      <Loaded query={warnings} rows={3}>
        {({ warnings, nextWarningId, names }) =>
          warnings.length === 0 && nextWarningId === "" ? (
            <Empty icon="bell" title="No warnings">
              What the rules find is listed here.
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Warnings"
                columns={columnsWith(names)}
                rows={warnings}
                idOf={({ id }) => id}
              />
              <Pager before={before} next={nextWarningId || undefined} size={pageSizeOf(search)} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsWith(names: Readonly<Record<string, string>>): DataColumn<Warning>[] {
  const subject: DataColumn<Warning> = {
    header: "Key",
    cell: ({ keyId }) => keyId && <KeyLink id={keyId} names={names} />,
  };
  const title: DataColumn<Warning> = {
    header: "Warning",
    cell: (warning) => <strong>{warning.title}</strong>,
  };
  return [title, ...(Object.keys(names).length === 0 ? [] : [subject]), ...columns];
}

const columns: readonly DataColumn<Warning>[] = [
  { header: "Details", cell: ({ text }) => text },
  { header: "Began", align: "right", cell: ({ begunAt }) => <Time at={begunAt} as="relative" /> },
  {
    header: "Ended",
    align: "right",
    cell: ({ endedAt }) =>
      endedAt ? <Time at={endedAt} as="relative" /> : <Badge tone="warn">open</Badge>,
  },
];
