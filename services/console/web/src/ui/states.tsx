import type { ReactNode } from "react";
import { errorMessageOf } from "../calls/query-client.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** What is shown where there is nothing yet, with what to do about it. */
export function Empty(props: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <Icon name={props.icon} size={22} />
      <p className="state-title">{props.title}</p>
      {props.children && <div className="quiet">{props.children}</div>}
    </div>
  );
}

/** What is shown where a call failed. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="state" role="alert">
      <Icon name="alert" size={22} />
      <p className="state-title">This could not be loaded</p>
      <p className="quiet">{errorMessageOf(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}

/** Takes the place of lines that are being loaded, of about their height. */
export function Loading({ rows = 8 }: { rows?: number }) {
  return (
    <div className="loading" role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className="bone" />
      ))}
    </div>
  );
}

interface QueryLike<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Shows what a query has read, or that it is loading or failed. */
export function Loaded<Data>(props: {
  query: QueryLike<Data>;
  rows?: number;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Loading {...(props.rows !== undefined && { rows: props.rows })} />;
}
