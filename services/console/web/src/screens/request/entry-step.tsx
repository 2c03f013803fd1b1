import type { Entry, RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import { Facts } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { Time } from "../../ui/time.tsx";
import { withCopy } from "../../ui/with-copy.tsx";
import { TrailStep } from "./trail-step.tsx";

/** The entry that changed the balance, and what of the hold was released. */
export function EntryStep({
  request,
  entry,
}: {
  request: RequestRecord;
  entry: Entry | undefined;
}) {
  const { heldNanoUsd, chargedNanoUsd, costNanoUsd, uncollectedNanoUsd } = request;
  const released = heldNanoUsd > chargedNanoUsd ? heldNanoUsd - chargedNanoUsd : 0n;
  return (
    <TrailStep
      title="Ledger entry"
      note={
        entry === undefined ? (
          "in a month that is detached"
        ) : (
          <>
            recorded <Time at={entry.recordedAt} as="exact" />
          </>
        )
      }
      result={<Money nano={entry?.amountNanoUsd ?? -chargedNanoUsd} />}
    >
      <Facts
        facts={[
          ["Entry id", withCopy(entry?.id ?? request.entryId, "entry id")],
          ["Cost", <Money key="cost" nano={costNanoUsd} />],
          ["Charged", <Money key="charged" nano={chargedNanoUsd} />],
          [
            "Not collected",
            uncollectedNanoUsd > 0n && <Money key="uncollected" nano={uncollectedNanoUsd} />,
          ],
          ["Released", <Money key="released" nano={released} />],
        ]}
      />
    </TrailStep>
  );
}
