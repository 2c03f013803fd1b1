import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Badge } from "../ui/badge.tsx";
import { Icon } from "../ui/icons.tsx";

const readEveryMs = 60_000;
const most = 99;

/** How many warnings have not ended, with a link to them. */
export function Bell() {
  const open = useQuery(
    OperatorService.method.listWarnings,
    { onlyOpen: true, limit: most },
    { refetchInterval: readEveryMs, staleTime: readEveryMs },
  );
  const { warnings = [], hasMore = false } = open.data ?? {};
  const count = hasMore ? `${most}+` : String(warnings.length);
  return (
    <Link to="/warnings" className="bell" activeOptions={{ includeSearch: false }}>
      <Icon name="bell" />
      <span className="bell-name">Warnings</span>
      {warnings.length > 0 && <Badge tone="warn">{`${count} open`}</Badge>}
    </Link>
  );
}
