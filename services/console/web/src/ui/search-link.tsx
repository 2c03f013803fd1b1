import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isSecretText } from "../search/key-text.ts";
import { pageSizes, usualPageSize } from "../search/list-search.ts";

type Change = Readonly<Record<string, string | true | undefined>>;

interface Props {
  change: Change;
  className?: string;
  isCurrent?: boolean;
  children: ReactNode;
}

/** A link to the same screen with some of its search parameters changed. */
export function SearchLink({ change, className, isCurrent, children }: Props) {
  return (
    <Link
      to="."
      search={changed(change)}
      activeOptions={{ exact: true }}
      {...(className !== undefined && { className })}
      aria-current={isCurrent ? "true" : undefined}
    >
      {children}
    </Link>
  );
}

/** Returns a function that changes some of the search parameters of the screen. A secret becomes none of them. */
export function useSearchChange(): (change: Change) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({ to: ".", search: changed(withoutSecrets(change)), replace: true });
}

function withoutSecrets(change: Change): Change {
  const kept = Object.entries(change).map(([name, value]) => [
    name,
    typeof value === "string" && isSecretText(value) ? undefined : value,
  ]);
  return Object.fromEntries(kept);
}

/** The screen that shows the link checks its parameters, so their types are not known here. */
function changed(change: Change): never {
  return ((present: object) => ({ ...present, before: undefined, ...change })) as never;
}

/** Links to the same screen of which one is current, such as periods or tabs. */
export function LinkGroup<Value extends string>(props: {
  label: string;
  name: string;
  options: Readonly<Partial<Record<Value, string>>>;
  current: Value | undefined;
  look?: "segments" | "tabs";
  /** What else a link changes. */
  also?: Change;
}) {
  return (
    <nav className={props.look ?? "segments"} aria-label={props.label}>
      {(Object.entries(props.options) as [Value, string][]).map(([value, text]) => (
        <SearchLink
          key={value}
          change={{ ...props.also, [props.name]: value }}
          isCurrent={value === props.current}
        >
          {text}
        </SearchLink>
      ))}
    </nav>
  );
}

interface PagerProps {
  before: string | undefined;
  next: string | undefined;
  /** The size of a page, where it can be chosen. */
  size?: number;
}

/** Chooses how many rows a page has. */
export function PageSizeChoice({ size }: { size: number }) {
  const change = useSearchChange();
  return (
    <select
      aria-label="Rows of a page"
      value={size}
      onChange={({ target }) => change({ size: target.value })}
    >
      {pageSizes.map((one) => (
        <option key={one} value={one}>
          {one} rows
        </option>
      ))}
    </select>
  );
}

/** Leads to further rows, and back to the first ones. */
export function Pager({ before, next, size }: PagerProps) {
  const hasSizes = size !== undefined && (size !== usualPageSize || next !== undefined);
  if (before === undefined && next === undefined && !hasSizes) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {hasSizes && <PageSizeChoice size={size} />}
      {before !== undefined && <SearchLink change={{ before: undefined }}>First</SearchLink>}
      {next !== undefined && <SearchLink change={{ before: next }}>Next</SearchLink>}
    </nav>
  );
}
