import { useQuery } from "@connectrpc/connect-query";
import { OperatorService, type OperatorToken } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { roleNames } from "../../format/roles.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { CreateToken } from "./create-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";

/** The credentials of programs that call the operator's API. */
export function Tokens() {
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
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty icon="keys" title="No tokens yet">
              A program sends one as a bearer token.
            </Empty>
          ) : (
            <DataTable
              caption="Operator tokens"
              columns={canManage ? [...columns, revokeColumn] : columns}
              rows={tokens}
              idOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <CreateToken key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
    </Section>
  );
}

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
