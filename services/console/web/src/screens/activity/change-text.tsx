import { formatChange } from "../../format/numbers.ts";

/** How an amount differs from that of the period before. */
export function ChangeText({ now, before }: { now: bigint; before: bigint }) {
  return <span className="quiet">{formatChange(now, before)}</span>;
}
