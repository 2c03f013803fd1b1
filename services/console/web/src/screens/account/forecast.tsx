import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { useUsage } from "../../calls/use-usage.ts";
import { roundAverage } from "../../format/money.ts";
import { countOf } from "../../format/numbers.ts";
import { daysOf, rangeOf } from "../../search/period.ts";
import { Stat } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";

const mostDays = 365n;

/** What an account spent in the last seven days, and how long its balance lasts at that rate. */
export function Forecast({ accountId, balance }: { accountId: string; balance: bigint }) {
  const range = rangeOf({ period: "7d" }, "7d");
  const { data } = useUsage(range, UsageBy.DAY, { account: accountId });
  const sums = data?.usage?.sums ?? [];
  const spent = sums.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0n);
  const perDay = spent / BigInt(Math.ceil(daysOf(range)));
  return (
    <>
      <Stat
        name="Spent in 7 days"
        note={
          data && (
            <>
              <Money nano={roundAverage(perDay)} /> a day
            </>
          )
        }
      >
        {data ? <Money nano={spent} /> : "–"}
      </Stat>
      <Stat name="Lasts for" note={perDay > 0n && "at that rate"}>
        {data ? lastsFor(balance, perDay) : "–"}
      </Stat>
    </>
  );
}

function lastsFor(balance: bigint, perDay: bigint): string {
  if (perDay === 0n) return "–";
  const days = balance / perDay;
  if (days > mostDays) return "over a year";
  return days === 0n ? "less than a day" : countOf(days, "day");
}
