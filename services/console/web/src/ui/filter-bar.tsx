import { type ReactNode, useState } from "react";
import { useChosenName } from "../calls/use-chosen-name.ts";
import { useAccess } from "../calls/use-session.ts";
import {
  type FilterName,
  filterNames,
  namesOfNone,
  noneOf,
  type UsageSearch,
} from "../search/usage-filter.ts";
import { Icon } from "./icons.tsx";
import { Picker } from "./picker.tsx";
import { SearchLink, useSearchChange } from "./search-link.tsx";

interface Props {
  search: UsageSearch & { error?: string };
  /** The filters with their names for people. */
  names?: Readonly<Partial<Record<Name, string>>>;
}

type Name = FilterName | "error";

/** Chooses and shows filters. Each that is set has a link that takes it away. */
export function FilterBar({ search, names = filterNames }: Props) {
  const { isCustomer } = useAccess();
  const offered = (Object.keys(names) as Name[]).filter(
    (name) => name !== "account" && !(isCustomer && name === "provider"),
  );
  const set = (Object.keys(names) as Name[]).filter((name) => search[name]);
  const shown = set.filter((name) => name !== "account" || isCustomer);
  const none = namesOfNone(search);
  return (
    <>
      {!isCustomer && <AccountFilter account={search.account} />}
      <AddFilter names={names} offered={offered} account={search.account ?? ""} />
      {shown.map((name) => (
        <Chip key={name} name={names[name]} without={{ [name]: undefined }}>
          <FilterValue name={name} value={search[name] ?? ""} />
        </Chip>
      ))}
      {none.map((name) => (
        <Chip
          key={`none ${name}`}
          name={names[name]}
          without={{ none: noneOf(none.filter((one) => one !== name)) }}
        >
          none
        </Chip>
      ))}
    </>
  );
}

function Chip(props: {
  name: string | undefined;
  /** The change of the address that removes the filter. */
  without: Readonly<Record<string, string | undefined>>;
  children: ReactNode;
}) {
  return (
    <span className="chip">
      <span className="quiet">{props.name}</span>
      {props.children}
      <SearchLink change={props.without}>
        <Icon name="close" size={12} />
        <span className="unseen">Remove the filter {props.name}</span>
      </SearchLink>
    </span>
  );
}

interface AccountFilterProps {
  account: string | undefined;
  /** What the field shows without an account. */
  placeholder?: string;
}

/** Chooses the account of which a screen shows something. */
export function AccountFilter({ account = "", placeholder = "All accounts" }: AccountFilterProps) {
  const change = useSearchChange();
  return (
    <Picker
      kind="account"
      label="Account"
      placeholder={placeholder}
      canClear
      value={account}
      onChoose={(id) => change({ account: id || undefined })}
    />
  );
}

/** Chooses the key, of an account or of all, of which a screen shows something. */
export function KeyFilter({ account = "", value = "" }: { account?: string; value?: string }) {
  const change = useSearchChange();
  return (
    <Picker
      kind="key"
      label="Key"
      placeholder="All keys"
      canClear
      {...{ account, value }}
      onChoose={(id) => change({ key: id || undefined })}
    />
  );
}

function FilterValue({ name, value }: { name: Name; value: string }) {
  const text = useChosenName(name === "key" || name === "account" ? name : "model", value);
  return (
    <span className="cut" title={value}>
      {text}
    </span>
  );
}

/** Adds a filter by its value. An account is chosen beside it. */
function AddFilter(props: {
  names: NonNullable<Props["names"]>;
  offered: readonly Name[];
  account: string;
}) {
  const { names, offered, account } = props;
  const change = useSearchChange();
  const [chosen, setName] = useState<Name>();
  const name = chosen ?? offered[0] ?? "model";
  return (
    <form
      className="filter grow"
      onSubmit={(event) => {
        event.preventDefault();
        const value = String(new FormData(event.currentTarget).get("value") ?? "").trim();
        if (value !== "") change({ [name]: value });
        event.currentTarget.reset();
      }}
    >
      <select
        aria-label="Filter by"
        value={name}
        onChange={({ target }) => setName(target.value as Name)}
      >
        {offered.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
      {name === "key" || name === "model" ? (
        <Picker
          key={name}
          {...{ kind: name, account, value: "", onChoose: (value) => change({ [name]: value }) }}
          label="Value of the filter"
          placeholder="is…"
        />
      ) : (
        <input name="value" aria-label="Value of the filter" placeholder="is…" size={12} />
      )}
    </form>
  );
}
