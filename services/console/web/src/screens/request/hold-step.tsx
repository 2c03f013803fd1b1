import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import { Money } from "../../ui/money.tsx";
import { TrailStep } from "./trail-step.tsx";

/** What the request held before a provider was called. */
export function HoldStep({ request: { heldNanoUsd } }: { request: RequestRecord }) {
  return (
    <TrailStep
      title="Hold"
      note="reserved in the wallet before a provider was called"
      result={<Money nano={heldNanoUsd} />}
    />
  );
}
