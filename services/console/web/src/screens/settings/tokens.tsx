import { useQuery } from "@connectrpc/connect-query";
import { OperatorService, type OperatorToken } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { roleNames } from "../../format/roles.ts";
import type { ListSearch } from "../../search/list-search.ts";
import { byLatest, byText, type WholeListRules } from "../../search/whole-list.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { DataColumn } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { WholeList } from "../../ui/whole-list.tsx";
import { CreateToken } from "./create-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";

/** The credentials of programs that call the operator's API. */
export function Tokens({ search }: { search: ListSearch<string> }) {
  const { canManage } = useAccess();
  const creation = useOpen();
  const read = useQuery(OperatorService.method.listOperatorTokens, {});
  return (
    <Section
      title="Operator tokens"
      note="for programs that call the operator's API"
      actions={
        canManage && (
          <Button look="primary" icon="plus" onClick={creation.open}>
            Create token
          </Button>
        )
      }
    >
      <Loaded query={read} rows={4}>
        {({ tokens }) => (
          <WholeList
            caption="Operator tokens"
            columns={canManage ? [...columns, revokeColumn] : columns}
            rows={tokens}
            search={search}
            searchLabel="Search by name, role or id"
            icon="keys"
            empty={
              <Empty icon="keys" title="No tokens yet">
                A program sends one as a bearer token.
              </Empty>
            }
            {...rules}
          />
        )}
      </Loaded>
      <CreateToken key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
    </Section>
  );
}

const rules: WholeListRules<OperatorToken> = {
  idOf: ({ id }) => id,
  textsOf: ({ id, name, role }) => [id, name, roleNames[role]],
  orders: {
    newest: { name: "Newest first", compare: byLatest(({ createdAt }) => createdAt) },
    name: { name: "By name", compare: byText(({ name }) => name) },
    used: { name: "Last used first", compare: byLatest(({ lastUsedAt }) => lastUsedAt) },
  },
};

const columns: readonly DataColumn<OperatorToken>[] = [
  { header: "Name", cell: ({ name }) => <strong className="cut">{name}</strong> },
  {
    header: "Role",
    cell: ({ role, revokedAt }) => (
      <>
        {roleNames[role]} {revokedAt && <Badge tone="bad">revoked</Badge>}
      </>
    ),
  },
  {
    header: "Last used",
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" none="never" />,
  },
  { header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} as="day" none="never" /> },
  {
    header: "Created",
    align: "right",
    isSecondary: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="day" />,
  },
];

const revokeColumn: DataColumn<OperatorToken> = {
  header: "Actions",
  align: "right",
  cell: (token) => (token.revokedAt ? null : <RevokeToken token={token} />),
};
