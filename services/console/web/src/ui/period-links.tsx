import { type PeriodName, type PeriodSearch, periods } from "../search/period.ts";
import { LinkGroup, useSearchChange } from "./search-link.tsx";

interface Props {
  search: PeriodSearch;
  fallback: PeriodName;
  /** Whether any days can be chosen beside the named periods. */
  hasDays?: boolean;
}

/** Chooses a period. */
export function PeriodLinks({ search, fallback, hasDays = false }: Props) {
  const change = useSearchChange();
  const isDays = search.from !== undefined || search.to !== undefined;
  const day = (name: "from" | "to", label: string) => (
    <input
      type="date"
      aria-label={label}
      className="grow"
      value={search[name] ?? ""}
      onChange={(event) => {
        change({ period: undefined, [name]: event.target.value || undefined });
      }}
    />
  );
  return (
    <>
      <LinkGroup
        label="Period"
        name="period"
        options={periods}
        current={isDays ? undefined : (search.period ?? fallback)}
        also={{ from: undefined, to: undefined }}
      />
      {hasDays && (
        <span className="filter">
          {day("from", "First day (UTC)")}
          <span aria-hidden="true">–</span>
          {day("to", "Last day (UTC)")}
        </span>
      )}
    </>
  );
}
