import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { ProviderCostStat } from "../../ui/provider-cost-stat.tsx";

/** The fields of a sum that are numbers. */
type Counted = {
  [Field in keyof UsageSum]-?: UsageSum[Field] extends bigint ? Field : never;
}[keyof UsageSum];

/** The totals of a period. */
export function Totals({ sums }: { sums: readonly UsageSum[] }) {
  const total = (part: Counted) => sums.reduce((sum, one) => sum + one[part], 0n);
  const [charged, uncollected] = [total("chargedNanoUsd"), total("uncollectedNanoUsd")];
  return (
    <dl className="stats">
      <Stat
        name="Charged"
        note={
          uncollected > 0n && (
            <>
              <Money nano={uncollected} /> not collected
            </>
          )
        }
      >
        <Money nano={charged} />
      </Stat>
      <ProviderCostStat
        charged={charged}
        providerCost={total("providerCostNanoUsd")}
        costedCharge={total("costedChargeNanoUsd")}
      />
      <Stat
        name="Requests"
        note={`${formatShare(total("failedRequests"), total("requests"))} failed`}
      >
        {formatCount(total("requests"))}
      </Stat>
      <Stat
        name="Prompt tokens"
        note={`${formatShare(total("cachedPromptTokens"), total("promptTokens"))} cached`}
      >
        {formatCount(total("promptTokens"))}
      </Stat>
      <Stat name="Completion tokens">{formatCount(total("completionTokens"))}</Stat>
    </dl>
  );
}
