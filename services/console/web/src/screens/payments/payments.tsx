import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChosenName } from "../../calls/use-chosen-name.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Screen } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { AutoTopUpSection } from "./auto-top-up-section.tsx";
import { PaymentList } from "./payment-list.tsx";

const route = getRouteApi("/app/payments");

/** The payments of an account, and its automatic top-ups. An operator without `account` sees all payments. */
export function PaymentsScreen() {
  const search = route.useSearch();
  const { account = "" } = search;
  const { isCustomer } = useAccess();
  const settings = useQuery(OperatorService.method.getPaymentSettings, { account });
  const name = useChosenName("account", account);
  const isOfAccount = account !== "" || isCustomer;
  return (
    <Screen
      title={account === "" || isCustomer ? "Payments" : `Payments of ${name}`}
      parent={!isCustomer && <Parent account={account} name={name} />}
      actions={
        <>
          <Link to="/statements" search={account === "" ? {} : { account }}>
            Statements
          </Link>
          {!isCustomer && <Link to="/codes">Codes</Link>}
        </>
      }
    >
      <Loaded query={settings} rows={2}>
        {(settings) => (
          <>
            {settings.isEnabled && isOfAccount && <AutoTopUpSection account={account} />}
            <PaymentList {...{ search, settings, isOfAccount }} />
            {!settings.isEnabled && (
              <Empty icon="payments" title="Payments by card are off">
                An operator adds credit, or a code does.
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

/** Where an operator comes from: an account, or the list of all. */
function Parent({ account, name }: { account: string; name: string }) {
  if (account === "") return <Link to="/accounts">Accounts</Link>;
  return (
    <Link to="/accounts/$accountId" params={{ accountId: account }}>
      {name}
    </Link>
  );
}
