import { useAccess } from "../../calls/use-session.ts";
import { type LedgerSearch, ledgerKinds } from "../../search/ledger-search.ts";
import { amountOrders } from "../../search/list-search.ts";
import { defined } from "../../search/read.ts";
import { KeyFilter } from "../../ui/filter-bar.tsx";
import { OrderChoice } from "../../ui/order-choice.tsx";
import { useSearchChange } from "../../ui/search-link.tsx";

interface Props {
  search: LedgerSearch;
  /** Empty: of every account. */
  account: string;
}

/** The filters and the order of a ledger, which are in the address. */
export function LedgerFilters({ search, account }: Props) {
  const { canSeeKeys } = useAccess();
  const change = useSearchChange();
  const set = (name: keyof LedgerSearch) => (event: { target: { value: string } }) =>
    change({ [name]: event.target.value.trim() || undefined });
  return (
    <>
      <label className="filter">
        From (UTC)
        <input type="date" value={search.from ?? ""} onChange={set("from")} />
      </label>
      <label className="filter">
        To
        <input type="date" value={search.to ?? ""} onChange={set("to")} />
      </label>
      <label className="filter">
        Kind
        <select value={search.kind ?? ""} onChange={set("kind")}>
          <option value="">All</option>
          {Object.entries(ledgerKinds).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        Request
        <input
          key={search.request}
          defaultValue={search.request ?? ""}
          placeholder="req_…"
          size={14}
          onBlur={set("request")}
          onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        />
      </label>
      {canSeeKeys && <KeyFilter {...{ account, ...defined({ value: search.key }) }} />}
      <OrderChoice orders={amountOrders} order={search.order} />
    </>
  );
}
