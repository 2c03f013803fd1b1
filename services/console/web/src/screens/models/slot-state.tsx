import type { SlotCalls, SlotState } from "@tollgate/proto/tollgate/v1/slot";
import { countOf, formatCount, formatMs } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";

interface Props {
  state: SlotState | undefined;
}

/** Whether requests use a slot. */
export function SlotStateBadge({ state }: Props) {
  if (state?.disabled !== undefined) return <Badge tone="warn">disabled</Badge>;
  if (state !== undefined && state.openBreakers > 0) return <Badge tone="bad">failing</Badge>;
  return <Badge tone="good">in use</Badge>;
}

/** Why requests do not use a slot; nothing where they do. */
export function SlotStateNote({ state }: Props) {
  const { disabled, openBreakers = 0 } = state ?? {};
  if (disabled !== undefined) {
    return (
      <span className="quiet slot-note">
        Disabled since <Time at={disabled.since} as="relative" />
        {disabled.reason && `: ${disabled.reason}`}
      </span>
    );
  }
  if (openBreakers === 0) return null;
  return (
    <span className="quiet slot-note">Serves nobody at {countOf(openBreakers, "replica")}</span>
  );
}

/** How the calls of the last day ended. */
export function SlotCallsText({ calls }: { calls: SlotCalls | undefined }) {
  if (calls === undefined) return <span className="quiet slot-note">No calls in 24 hours</span>;
  const { served, failed, durationP50Ms, durationP99Ms, errors } = calls;
  return (
    <span className="quiet slot-note">
      {formatCount(served)} served
      {durationP50Ms !== undefined && `, p50 ${formatMs(durationP50Ms)}`}
      {durationP99Ms !== undefined && `, p99 ${formatMs(durationP99Ms)}`}
      {failed > 0n && (
        <>
          <br />
          {formatCount(failed)} failed:{" "}
          {errors.map((error) => `${error.code} ${formatCount(error.calls)}`).join(", ")}
        </>
      )}
    </span>
  );
}
