import { useAccountNames } from "../calls/use-account-names.ts";
import { useAccess } from "../calls/use-session.ts";
import { type FilterName, type FilterSearch, filterNames } from "../search/usage-filter.ts";
import { AccountFilter } from "./account-filter.tsx";
import { Icon } from "./icons.tsx";
import { SearchLink, useSearchChange } from "./search-link.tsx";

const typed: readonly FilterName[] = ["model", "key", "provider", "route"];

/** Chooses and shows the filters of usage. Each that is set has a link that takes it away. */
export function FilterBar({ search }: { search: FilterSearch }) {
  const { isCustomer } = useAccess();
  const { nameOf } = useAccountNames();
  const set = (Object.keys(filterNames) as FilterName[]).filter((name) => search[name]);
  const shown = set.filter((name) => name !== "account" || isCustomer);
  return (
    <>
      {!isCustomer && <AccountFilter account={search.account ?? ""} />}
      <AddFilter />
      {shown.map((name) => (
        <span key={name} className="chip">
          <span className="quiet">{filterNames[name]}</span>
          <span className="cut">
            {name === "account" ? nameOf(search.account ?? "") : search[name]}
          </span>
          <SearchLink change={{ [name]: undefined }}>
            <Icon name="close" size={12} />
            <span className="unseen">Remove the filter {filterNames[name]}</span>
          </SearchLink>
        </span>
      ))}
    </>
  );
}

/** Adds a filter by its value. */
function AddFilter() {
  const change = useSearchChange();
  return (
    <form
      className="filter grow"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        const value = String(values.get("value")).trim();
        if (value !== "") change({ [String(values.get("name"))]: value });
        event.currentTarget.reset();
      }}
    >
      <select name="name" aria-label="Filter by">
        {typed.map((name) => (
          <option key={name} value={name}>
            {filterNames[name]}
          </option>
        ))}
      </select>
      <input name="value" aria-label="Value of the filter" placeholder="is…" size={12} />
    </form>
  );
}
