import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { dateOf, formatDay, formatRelative, formatTime, formatTimeExact } from "../format/time.ts";

const formats = {
  seconds: formatTime,
  exact: formatTimeExact,
  day: formatDay,
  relative: (at: Date) => formatRelative(at),
};

interface Props {
  at: Timestamp | undefined;
  as?: keyof typeof formats;
  /** What is shown where there is no instant. */
  none?: string;
}

/** An instant in UTC. The pointer over it shows the exact one. */
export function Time({ at, as = "seconds", none = "–" }: Props) {
  const date = dateOf(at);
  if (date === undefined) return <span className="quiet">{none}</span>;
  return (
    <time dateTime={date.toISOString()} title={`${formatTimeExact(date)} UTC`}>
      {formats[as](date)}
    </time>
  );
}
