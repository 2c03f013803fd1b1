import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { countOf } from "../../format/numbers.ts";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

/** How long what the console shows is stored. */
export function Retention() {
  const read = useQuery(OperatorService.method.readRetention, {});
  return (
    <Section title="Retention">
      <Loaded query={read} rows={4}>
        {({ retention, refusalDays }) => (
          <>
            <Facts
              facts={[
                ["Records of requests", countOf(retention?.requestDays ?? 0, "day")],
                ["Records of refused requests", countOf(refusalDays, "day")],
                ["Ledger entries", "until their month is detached"],
                ["Oldest entry", <Time key="first" at={retention?.firstEntryAt} as="day" />],
                ["Usage and audit log", "for ever"],
                ["Prompts and responses", "never, apart from conversations"],
              ]}
            />
            <p className="quiet">
              TOLLGATE_REQUEST_DAYS, in the environment of the ledger, sets how long records of
              requests are stored; TOLLGATE_REFUSAL_DAYS, in that of billing, those of refused ones.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
