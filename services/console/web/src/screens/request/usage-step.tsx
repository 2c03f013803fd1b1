import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import { useAccess } from "../../calls/use-session.ts";
import { formatCount } from "../../format/numbers.ts";
import { TrailStep } from "./trail-step.tsx";

/** What was used, and what the provider reported, unchanged. A customer sees the first. */
export function UsageStep({ request }: { request: RequestRecord }) {
  const { isCustomer } = useAccess();
  const { basis, providerUsage, quantity, unitType, errorCode } = request;
  if (errorCode !== "" && quantity === 0n && providerUsage === "") {
    return <TrailStep title="Usage" note="a failed request is not charged" result="none" />;
  }
  return (
    <TrailStep
      title="Usage"
      note={
        basis === "provider" ? "as the provider reported it" : `counted by the gateway: ${basis}`
      }
      result={`${formatCount(quantity)} ${unitType.replaceAll("_", " ")}`}
    >
      {!isCustomer && <UsageBlock text={providerUsage} />}
    </TrailStep>
  );
}

function UsageBlock({ text }: { text: string }) {
  if (text === "") {
    return <p className="quiet">The provider reported no usage block, or one above 4 KiB.</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long block scrolls by the keyboard.
    <pre className="usage-block" tabIndex={0}>
      {pretty(text)}
    </pre>
  );
}

/** Returns JSON with a member on each line. Numbers beyond 2^53 would change, so it stays then. */
function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text.replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, "");
    return isSame ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
