import { moneyParts } from "../format/money.ts";

interface Props {
  nano: bigint;
  /** Whether an amount that is added has a plus sign. */
  signed?: boolean;
  /** The least number of decimals. */
  places?: number;
}

/**
 * An exact amount. From a dollar on, the digits after the cents are quieter, so that the eye finds
 * the cents. Below it, they are what the amount is.
 */
export function Money({ nano, signed = false, places }: Props) {
  const { sign, main, rest } = moneyParts(nano, signed, places);
  return (
    <span className="money">
      {sign === "-" ? "−" : sign}
      {main}
      {main.startsWith("$0.") ? rest : <span className="rest">{rest}</span>}
    </span>
  );
}
