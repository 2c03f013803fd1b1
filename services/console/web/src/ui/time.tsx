import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  dateOf,
  formatLocalDay,
  formatRelative,
  formatTime,
  formatTimeExact,
  formatTimeUtc,
  formatTimeZoned,
  formatZone,
} from "../format/time.ts";

const formats = {
  seconds: (at: Date) => formatTime(at),
  zoned: (at: Date) => formatTimeZoned(at),
  exact: (at: Date) => formatTimeExact(at),
  day: (at: Date) => formatLocalDay(at),
  relative: (at: Date) => formatRelative(at),
};

/** The header of a column of times, which names their zone. */
export const timeHeader = `Time (${formatZone(new Date())})`;

interface Props {
  at: Timestamp | undefined;
  as?: keyof typeof formats;
  /** What is shown where there is no instant. */
  none?: string;
}

/** An instant in the zone of the reader. The pointer over it shows the exact one in UTC. */
export function Time({ at, as = "zoned", none = "–" }: Props) {
  const date = dateOf(at);
  if (date === undefined) return <span className="quiet">{none}</span>;
  return (
    <time dateTime={date.toISOString()} title={formatTimeUtc(date)}>
      {formats[as](date)}
    </time>
  );
}
