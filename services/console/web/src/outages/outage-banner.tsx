import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useLocation } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../calls/use-session.ts";
import { formatMoney } from "../format/money.ts";
import { rangeOf } from "../search/period.ts";
import { Icon } from "../ui/icons.tsx";
import { outagesOf } from "./outages.ts";
import "./outages.css";

const pollMs = 60_000;
/** The overview shows more of these itself. */
const shownByOverview: ReadonlySet<string> = new Set(["keys", "catalog"]);

/** What is out now, above every screen of an operator. Nothing is shown while all is well. */
export function OutageBanner() {
  const { pathname } = useLocation();
  const { isCustomer } = useAccess();
  const { from, to } = rangeOf({}, "24h");
  const overview = useQuery(
    OperatorService.method.readOverview,
    { from: timestampFromDate(from), to: timestampFromDate(to) },
    { enabled: !isCustomer, refetchInterval: pollMs, placeholderData: (previous) => previous },
  );
  if (isCustomer || overview.data === undefined) return null;
  const outages = outagesOf(overview.data, formatMoney).filter(
    ({ id }) => pathname !== "/" || !shownByOverview.has(id),
  );
  if (outages.length === 0) return null;
  return (
    <aside className="outages" aria-label="Out at the moment">
      <ul className="notice">
        {outages.map(({ id, text, to: place }) => (
          <li key={id}>
            <Icon name="alert" size={16} />
            <Link to={place}>{text}</Link>
          </li>
        ))}
      </ul>
    </aside>
  );
}
