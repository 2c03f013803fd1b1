import { useQuery } from "@connectrpc/connect-query";
import { type Operator, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { roleNames } from "../../format/roles.ts";
import type { ListSearch } from "../../search/list-search.ts";
import { byLatest, byText, type WholeListRules } from "../../search/whole-list.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { DataColumn } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { WholeList } from "../../ui/whole-list.tsx";
import { CreateOperator } from "./create-operator.tsx";
import { OperatorMenu } from "./operator-menu.tsx";

/** The people who sign in to the console. */
export function Operators({ search }: { search: ListSearch<string> }) {
  const { canManage } = useAccess();
  const creation = useOpen();
  const read = useQuery(OperatorService.method.listOperators, {});
  return (
    <Section
      title="Operators"
      note="people who sign in here"
      actions={
        canManage && (
          <Button look="primary" icon="plus" onClick={creation.open}>
            Add operator
          </Button>
        )
      }
    >
      <Loaded query={read} rows={4}>
        {({ operators }) => (
          <WholeList
            caption="Operators"
            columns={canManage ? [...columns, menuColumn] : columns}
            rows={operators}
            search={search}
            searchLabel="Search by name, role or id"
            icon="user"
            {...rules}
          />
        )}
      </Loaded>
      <CreateOperator key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
    </Section>
  );
}

const rules: WholeListRules<Operator> = {
  idOf: ({ id }) => id,
  textsOf: ({ id, name, role, issuer, email }) => [id, name, roleNames[role], issuer, email],
  orders: {
    name: { name: "By name", compare: byText(({ name }) => name) },
    newest: { name: "Newest first", compare: byLatest(({ createdAt }) => createdAt) },
    seen: {
      name: "Last signed in first",
      compare: byLatest(({ lastSignedInAt }) => lastSignedInAt),
    },
  },
};

const columns: readonly DataColumn<Operator>[] = [
  { header: "Name", cell: ({ name }) => <strong className="cut">{name}</strong> },
  {
    header: "Role",
    cell: ({ role, disabledAt }) => (
      <>
        {roleNames[role]} {disabledAt && <Badge tone="bad">disabled</Badge>}
      </>
    ),
  },
  {
    header: "Signs in by",
    cell: ({ issuer, hasPassword, hasSecondFactor }) => {
      if (issuer !== "") return <span className="cut">{issuer.replace(/^https:\/\//, "")}</span>;
      if (hasSecondFactor) return hasPassword ? "password and code" : "link and code";
      return hasPassword ? "password" : <span className="quiet">link only</span>;
    },
  },
  {
    header: "Last signed in",
    align: "right",
    cell: ({ lastSignedInAt }) => <Time at={lastSignedInAt} as="relative" none="never" />,
  },
];

const menuColumn: DataColumn<Operator> = {
  header: "Actions",
  align: "right",
  cell: (operator) => <OperatorMenu operator={operator} />,
};
