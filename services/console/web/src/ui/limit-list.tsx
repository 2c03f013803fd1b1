import { BudgetPeriod, type LimitUse } from "@tollgate/proto/tollgate/v1/limits";
import { formatCount } from "../format/numbers.ts";
import { Money } from "./money.tsx";
import { Share } from "./share.tsx";
import { Time } from "./time.tsx";
import "./limit-list.css";

export const periodNames: Readonly<Record<BudgetPeriod, string>> = {
  [BudgetPeriod.UNSPECIFIED]: "",
  [BudgetPeriod.DAY]: "a day",
  [BudgetPeriod.WEEK]: "a week",
  [BudgetPeriod.MONTH]: "a month",
  [BudgetPeriod.TOTAL]: "in total",
};

/** The limits of a key or an account, each with how much of it is used. */
export function LimitList({ use }: { use: LimitUse | undefined }) {
  const limits = use?.limits;
  if (use === undefined || limits === undefined) return <p className="quiet">No limits are set.</p>;
  const { budget, requestsPerMinute, tokensPerMinute, parallel } = limits;
  return (
    <ul className="limits">
      {budget && (
        <Limit
          name={`Budget ${periodNames[budget.period]}`}
          part={use.spentNanoUsd + use.heldNanoUsd}
          total={budget.amountNanoUsd}
          note={
            use.resetsAt && (
              <>
                resets <Time at={use.resetsAt} as="relative" />
              </>
            )
          }
        >
          <Money nano={use.spentNanoUsd + use.heldNanoUsd} /> of{" "}
          <Money nano={budget.amountNanoUsd} />
        </Limit>
      )}
      <Rate name="Requests in a minute" part={BigInt(use.requests)} total={requestsPerMinute} />
      <Rate name="Tokens in a minute" part={use.tokens} total={tokensPerMinute} />
      <Rate name="Requests in progress" part={BigInt(use.inProgress)} total={parallel} />
    </ul>
  );
}

function Rate(props: { name: string; part: bigint; total: bigint | number | undefined }) {
  if (props.total === undefined) return null;
  return (
    <Limit name={props.name} part={props.part} total={BigInt(props.total)}>
      {formatCount(props.part)} of {formatCount(props.total)}
    </Limit>
  );
}

function Limit(props: {
  name: string;
  part: bigint;
  total: bigint;
  note?: React.ReactNode;
  children: React.ReactNode;
}) {
  const isFull = props.part >= props.total;
  const isNear = props.part * 10n >= props.total * 9n;
  return (
    <li>
      <div className="limit-line">
        <span>{props.name}</span>
        <span className="number">{props.children}</span>
      </div>
      <Share
        part={props.part}
        total={props.total}
        {...((isFull || isNear) && { tone: isFull ? "bad" : "warn" })}
      />
      {props.note && <div className="hint">{props.note}</div>}
    </li>
  );
}
