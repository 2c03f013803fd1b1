import { createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { usageRequest, useUsage } from "../../calls/use-usage.ts";
import { type Bar, BarChart } from "../../charts/bar-chart.tsx";
import { type ChargedPart, stackCharges } from "../../charts/stacked-usage.ts";
import { bucketsOf, labelOf } from "../../charts/time-series.ts";
import { formatMoneyShort } from "../../format/money.ts";
import type { Range } from "../../search/period.ts";
import { Money } from "../../ui/money.tsx";
import { Loaded } from "../../ui/states.tsx";

/** More colours are hard to tell apart. */
const mostModels = 5;

/** What the own account of a customer spent on each day, by model. */
export function SpendByModel({ range }: { range: Range }) {
  const days = useUsage(range, UsageBy.DAY);
  const models = useUsage(range, UsageBy.MODEL);
  const aliases = (models.data?.usage?.sums ?? [])
    .toSorted((one, other) => Number(other.chargedNanoUsd - one.chargedNanoUsd))
    .slice(0, mostModels)
    .map(({ name }) => name);
  const transport = useTransport();
  const byModel = useQueries({
    queries: aliases.map((model) =>
      createQueryOptions(
        OperatorService.method.readUsage,
        usageRequest(range, UsageBy.DAY, { model }),
        { transport },
      ),
    ),
  });
  const isComplete = byModel.every(({ data }) => data !== undefined);
  const failed = byModel.find(({ error }) => error);
  const refetch = () => Promise.all([days.refetch(), models.refetch()]);
  const data = models.data && isComplete ? days.data : undefined;
  return (
    <Loaded query={{ data, error: days.error ?? models.error ?? failed?.error, refetch }} rows={5}>
      {({ usage }) => {
        const totals = bucketsOf(range, "day", usage?.sums ?? []);
        const named = byModel.map(({ data: ofModel }, index) => ({
          name: aliases[index] ?? "",
          buckets: bucketsOf(range, "day", ofModel?.usage?.sums ?? []),
        }));
        const stacks = stackCharges(totals, named);
        const bars = totals.map(({ start }, index): Bar => {
          const parts = stacks[index] ?? [];
          return {
            key: start.toISOString(),
            label: labelOf(start, "day"),
            value: parts.reduce((sum, { chargedNanoUsd }) => sum + Number(chargedNanoUsd), 0),
            parts: parts.map(({ chargedNanoUsd }) => Number(chargedNanoUsd)),
            detail: <Parts parts={parts} />,
          };
        });
        const formatTick = (value: number) => formatMoneyShort(BigInt(Math.round(value)));
        return (
          <>
            <BarChart title="Spend by day and model" bars={bars} formatTick={formatTick} />
            <ul className="legend" aria-label="Models">
              {aliases.map((alias, index) => (
                <li key={alias}>
                  <span className={`swatch part-${index}`} aria-hidden="true" />
                  {alias}
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

function Parts({ parts }: { parts: readonly ChargedPart[] }) {
  const spent = parts.filter(({ chargedNanoUsd }) => chargedNanoUsd > 0n);
  if (spent.length === 0) return <strong>No usage</strong>;
  return spent.map(({ name, chargedNanoUsd }) => (
    <span key={name}>
      {name} <Money nano={chargedNanoUsd} />
    </span>
  ));
}
