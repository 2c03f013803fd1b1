import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { LimitList } from "../../ui/limit-list.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";

/** The limits of a customer's own account. */
export function OwnLimits() {
  const own = useQuery(OperatorService.method.getAccount, {});
  return (
    <Section title="Limits" note={own.data?.account?.account?.name}>
      <Loaded query={own} rows={2}>
        {({ account }) => <LimitList use={account?.account?.limits} />}
      </Loaded>
    </Section>
  );
}
