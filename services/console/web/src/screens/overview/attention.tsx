import { Link } from "@tanstack/react-router";
import type { WalletForecast } from "@tollgate/proto/tollgate/v1/ledger";
import { roundAverage } from "../../format/money.ts";
import { countOf } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";

const soonDays = 30;
const urgentDays = 3;

/** The wallets that run dry soon. Nothing is shown where there are none. */
export function Attention({ forecasts }: { forecasts: readonly WalletForecast[] }) {
  const soon = forecasts.filter(({ days }) => days <= soonDays);
  if (soon.length === 0) return null;
  return (
    <Section title="Wallets that run dry" note="at the rate of the last seven days">
      <DataTable
        caption="Wallets that run dry soon"
        rows={soon}
        idOf={({ accountId }) => accountId}
        columns={[
          {
            header: "Account",
            cell: ({ accountId, accountName }) => (
              <Link to="/accounts/$accountId" params={{ accountId }} className="row-link">
                {accountName}
              </Link>
            ),
          },
          {
            header: "Empty in",
            cell: ({ days }) => (
              <Badge tone={days <= urgentDays ? "bad" : "warn"}>
                {days === 0 ? "less than a day" : countOf(days, "day")}
              </Badge>
            ),
          },
          {
            header: "Spent each day",
            money: ({ chargedPerDayNanoUsd }) => roundAverage(chargedPerDayNanoUsd),
          },
          {
            header: "Balance",
            money: ({ balanceNanoUsd }) => balanceNanoUsd,
          },
        ]}
      />
    </Section>
  );
}
