import type { Request } from "@tollgate/proto/tollgate/v1/ledger";

import { Facts } from "../../ui/facts.tsx";
import { Money } from "../../ui/money.tsx";
import { withCopy } from "../../ui/with-copy.tsx";
import { Step } from "./step.tsx";

/** What the request held before a provider was called. */
export function HoldStep({ request: { heldNanoUsd, holdId } }: { request: Request }) {
  return (
    <Step
      title="Hold"
      note="reserved in the wallet before a provider was called"
      result={<Money nano={heldNanoUsd} />}
    >
      <Facts facts={[["Hold id", withCopy(holdId, "hold id") ?? "a hold that keys share"]]} />
    </Step>
  );
}
