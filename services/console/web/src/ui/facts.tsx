import type { ReactNode } from "react";

/** Names and values, such as the members of one account. Those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  const shown = facts.filter(([, value]) => value !== undefined && value !== false && value !== "");
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A number that stands out, with its name above and a remark below. */
export function Stat(props: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="stat">
      <dt>{props.name}</dt>
      <dd className="stat-value">{props.children}</dd>
      <dd className="stat-note">{props.note}</dd>
    </div>
  );
}
