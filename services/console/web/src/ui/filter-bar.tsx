import { useAccountNames } from "../calls/use-account-names.ts";
import { useAccess } from "../calls/use-session.ts";
import { type FilterName, type FilterSearch, filterNames } from "../search/usage-filter.ts";
import { AccountFilter } from "./account-filter.tsx";
import { Icon } from "./icons.tsx";
import { SearchLink, useSearchChange } from "./search-link.tsx";

interface Props {
  search: FilterSearch & { error?: string };
  /** The filters with their names for people. */
  names?: Readonly<Partial<Record<Name, string>>>;
}

type Name = FilterName | "error";

/** Chooses and shows filters. Each that is set has a link that takes it away. */
export function FilterBar({ search, names = filterNames }: Props) {
  const { isCustomer } = useAccess();
  const { nameOf } = useAccountNames([search.account ?? ""]);
  const offered = (Object.keys(names) as Name[]).filter(
    (name) => name !== "account" && !(isCustomer && name === "provider"),
  );
  const set = (Object.keys(names) as Name[]).filter((name) => search[name]);
  const shown = set.filter((name) => name !== "account" || isCustomer);
  return (
    <>
      {!isCustomer && <AccountFilter account={search.account ?? ""} />}
      <AddFilter names={names} offered={offered} />
      {shown.map((name) => (
        <span key={name} className="chip">
          <span className="quiet">{names[name]}</span>
          <span className="cut">
            {name === "account" ? nameOf(search.account ?? "") : search[name]}
          </span>
          <SearchLink change={{ [name]: undefined }}>
            <Icon name="close" size={12} />
            <span className="unseen">Remove the filter {names[name]}</span>
          </SearchLink>
        </span>
      ))}
    </>
  );
}

/** Adds a filter by its value. An account is chosen by its name elsewhere. */
function AddFilter(props: { names: NonNullable<Props["names"]>; offered: readonly Name[] }) {
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
        {props.offered.map((name) => (
          <option key={name} value={name}>
            {props.names[name]}
          </option>
        ))}
      </select>
      <input name="value" aria-label="Value of the filter" placeholder="is…" size={12} />
    </form>
  );
}
