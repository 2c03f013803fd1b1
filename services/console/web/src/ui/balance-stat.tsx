import { Stat } from "./facts.tsx";
import { Money } from "./money.tsx";

interface Props {
  balanceNanoUsd: bigint;
  heldNanoUsd: bigint;
}

/** The present balance, and how much of it is held. */
export function BalanceStat({ balanceNanoUsd, heldNanoUsd }: Props) {
  return (
    <Stat
      name="Balance now"
      note={
        <>
          <Money nano={heldNanoUsd} /> of it held
        </>
      }
    >
      <Money nano={balanceNanoUsd} />
    </Stat>
  );
}
