import type { GetPaymentSettingsResponse } from "@tollgate/proto/tollgate/v1/operator";
import { formatMoney, plainUsd } from "../../format/money.ts";
import { Choice, Field } from "../../ui/form.tsx";

interface Props {
  settings: GetPaymentSettingsResponse;
  amount?: bigint | undefined;
}

/** The field `amount`: one of the amounts of a top-up, or any between two bounds. */
export function TopUpAmountField({ settings, amount }: Props) {
  const { amountsNanoUsd, leastNanoUsd, mostNanoUsd } = settings;
  const value = amount === undefined ? {} : { defaultValue: plainUsd(amount) };
  if (amountsNanoUsd.length > 0) {
    const options = amountsNanoUsd.map((one) => [plainUsd(one), formatMoney(one)] as const);
    return <Choice label="Amount" name="amount" options={options} {...value} />;
  }
  return (
    <Field
      label="Amount in USD"
      name="amount"
      inputMode="decimal"
      autoComplete="off"
      required
      hint={`From ${formatMoney(leastNanoUsd)} to ${formatMoney(mostNanoUsd)}.`}
      {...value}
    />
  );
}
