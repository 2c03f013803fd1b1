import { marginOf } from "../format/margin.ts";
import { Badge } from "./badge.tsx";

/** The margin of what was charged; a loss is marked. */
export function MarginText({ charged, cost }: { charged: bigint; cost: bigint }) {
  const margin = marginOf(charged, cost);
  if (margin === undefined) return <span className="quiet">–</span>;
  return margin.isLoss ? <Badge tone="bad">{margin.text}</Badge> : margin.text;
}
