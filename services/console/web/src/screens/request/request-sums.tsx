import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import { formatCount, formatMs } from "../../format/numbers.ts";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { ProviderCostStat } from "../../ui/provider-cost-stat.tsx";

/** What the request cost, how long it took and how much it used. */
export function RequestSums({ request }: { request: RequestRecord }) {
  const { firstTokenMs, cachedPromptTokens, promptTokens, completionTokens } = request;
  const isTokens = promptTokens + completionTokens > 0n;
  return (
    <dl className="stats">
      <Stat name="Charged" note={<Collected request={request} />}>
        <Money nano={request.chargedNanoUsd} />
      </Stat>
      {request.providerCostNanoUsd !== undefined && (
        <ProviderCostStat
          charged={request.chargedNanoUsd}
          providerCost={request.providerCostNanoUsd}
          costedCharge={request.chargedNanoUsd}
        />
      )}
      <Stat name="Duration" note={request.isStreamed ? "streamed" : "one response"}>
        {formatMs(request.durationMs)}
      </Stat>
      <Stat name="First token">{firstTokenMs === undefined ? "–" : formatMs(firstTokenMs)}</Stat>
      {isTokens ? (
        <Stat name="Tokens" note={`${formatCount(cachedPromptTokens)} of the prompt cached`}>
          <span className="number">
            {formatCount(promptTokens)} <span className="rest quiet">in</span>
          </span>{" "}
          <span className="number">
            {formatCount(completionTokens)} <span className="rest quiet">out</span>
          </span>
        </Stat>
      ) : (
        <Stat name="Quantity" note={unitName(request.unitType)}>
          {formatCount(request.quantity)}
        </Stat>
      )}
    </dl>
  );
}

function Collected({ request }: { request: RequestRecord }) {
  const { costNanoUsd, uncollectedNanoUsd } = request;
  if (costNanoUsd === 0n) return "at no cost";
  if (uncollectedNanoUsd === 0n) return "in full";
  return (
    <>
      <Money nano={uncollectedNanoUsd} /> not collected
    </>
  );
}

function unitName(unit: string): string {
  return unit.replaceAll("_", " ");
}
