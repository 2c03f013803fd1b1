import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import { formatChange, formatCount, formatShare } from "../../format/numbers.ts";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { ProviderCostStat } from "../../ui/provider-cost-stat.tsx";

/** The fields of a sum that are numbers. */
type Counted = {
  [Field in keyof UsageSum]-?: UsageSum[Field] extends bigint ? Field : never;
}[keyof UsageSum];

interface Props {
  sums: readonly UsageSum[];
  /** Those of the period before; undefined while they are not known. */
  before: readonly UsageSum[] | undefined;
}

/** The totals of a period, against the one before. */
export function Totals({ sums, before }: Props) {
  const total = (part: Counted) => totalOf(sums, part);
  const change = (part: Counted) => before && formatChange(total(part), totalOf(before, part));
  const [charged, uncollected] = [total("chargedNanoUsd"), total("uncollectedNanoUsd")];
  return (
    <dl className="stats">
      <Stat
        name="Charged"
        note={
          <>
            <Change text={change("chargedNanoUsd")} />
            {uncollected > 0n && (
              <>
                , <Money nano={uncollected} /> not collected
              </>
            )}
          </>
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
        note={
          <>
            <Change text={change("requests")} />
            {total("requests") > 0n &&
              `, ${formatShare(total("failedRequests"), total("requests"))} failed`}
          </>
        }
      >
        {formatCount(total("requests"))}
      </Stat>
      <Stat
        name="Prompt tokens"
        note={
          <>
            <Change text={change("promptTokens")} />
            {total("promptTokens") > 0n &&
              `, ${formatShare(total("cachedPromptTokens"), total("promptTokens"))} cached`}
          </>
        }
      >
        {formatCount(total("promptTokens"))}
      </Stat>
      <Stat name="Completion tokens" note={<Change text={change("completionTokens")} />}>
        {formatCount(total("completionTokens"))}
      </Stat>
    </dl>
  );
}

function Change({ text }: { text: string | undefined }) {
  return <span title="Against the period before">{text}</span>;
}

function totalOf(sums: readonly UsageSum[], part: Counted): bigint {
  return sums.reduce((sum, one) => sum + one[part], 0n);
}
