import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Statement } from "@tollgate/proto/tollgate/v1/statement";
import { Facts } from "../../ui/facts.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { StatementFiles } from "./statement-files.tsx";
import { StatementCharges, StatementLines } from "./statement-lines.tsx";
import { StatementSumsTable } from "./statement-sums.tsx";
import "./statement.css";

const route = getRouteApi("/app/statements/$number");

/** A statement: to whom it was issued, its sums and their lines, as in its PDF and its CSV. */
export function StatementScreen() {
  const { number } = route.useParams();
  const found = useQuery(OperatorService.method.getStatement, { number: readNumber(number) });
  const statement = found.data?.statement;
  return (
    <Screen
      title={`Statement ${number}`}
      parent={<Link to="/statements">Statements</Link>}
      actions={
        statement && (
          <StatementFiles number={statement.number} account={statement.accountId} look="plain" />
        )
      }
    >
      <Loaded query={found} rows={10}>
        {({ statement }) => statement && <StatementParts statement={statement} />}
      </Loaded>
    </Screen>
  );
}

/** Returns the number in an address. No statement has the number 0. */
function readNumber(text: string): bigint {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
}

function StatementParts({ statement }: { statement: Statement }) {
  const { accountName, month, issuedAt, issuer, customer, sums } = statement;
  return (
    <>
      <Facts
        facts={[
          ["Account", accountName],
          ["Month (UTC)", month],
          ["Issued by", <Lines key="by" lines={issuer} />],
          ["Issued to", <Lines key="to" lines={customer} />],
          ["Issued", <Time key="issued" at={issuedAt} as="day" />],
        ]}
      />
      {sums && (
        <div className="statement">
          <StatementSumsTable sums={sums} />
          <StatementCharges charges={sums.charges} />
          <StatementLines title="Top-ups" lines={sums.topUps} />
          <StatementLines title="Refunds" lines={sums.refunds} />
          <StatementLines title="Adjustments" lines={sums.adjustments} />
        </div>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return <span className="lines">{lines.join("\n")}</span>;
}
