import { Stat } from "./facts.tsx";
import { MarginText } from "./margin-text.tsx";
import { Money } from "./money.tsx";

interface Props {
  charged: bigint;
  providerCost: bigint;
  /** What was charged for the requests whose cost is known. */
  costedCharge: bigint;
}

/** What providers charge the operator for a period, and the margin. Nothing where no cost is known. */
export function ProviderCostStat({ charged, providerCost, costedCharge }: Props) {
  if (providerCost === 0n && costedCharge === 0n) return null;
  return (
    <Stat
      name="Provider cost"
      note={
        <>
          margin <MarginText charged={costedCharge} cost={providerCost} />
          {costedCharge < charged && (
            <>
              {" of "}
              <Money nano={costedCharge} />
            </>
          )}
        </>
      }
    >
      <Money nano={providerCost} />
    </Stat>
  );
}
