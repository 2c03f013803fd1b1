import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

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

/** Returns a function that changes some of the search parameters of the screen. */
export function useSearchChange(): (change: Change) => void {
  const navigate = useNavigate();
  return (change) => void navigate({ to: ".", search: changed(change), replace: true });
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

/** Leads to older rows, and back to the newest. */
export function Pager({ before, next }: { before: string | undefined; next: string | undefined }) {
  if (before === undefined && next === undefined) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {before !== undefined && <SearchLink change={{ before: undefined }}>Newest</SearchLink>}
      {next !== undefined && <SearchLink change={{ before: next }}>Older</SearchLink>}
    </nav>
  );
}
