import { useQuery } from "@connectrpc/connect-query";
import type { Invitation, Member } from "@tollgate/proto/tollgate/v1/member";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { memberRoleNames } from "../../format/member-roles.ts";
import type { ListSearch } from "../../search/list-search.ts";
import { byLatest, byText, type WholeListRules } from "../../search/whole-list.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { WholeList } from "../../ui/whole-list.tsx";
import { InviteMember } from "./invite-member.tsx";
import { MemberMenu } from "./member-menu.tsx";

interface Props {
  /** Empty: the own account of a member. */
  account: string;
  search: ListSearch<string>;
}

/** The members of an account and its open invitations. */
export function AccountMembers({ account, search }: Props) {
  const { canManageMembers } = useAccess();
  const members = useQuery(OperatorService.method.listMembers, { account });
  const invitation = useOpen();
  const menu: DataColumn<Member> = {
    header: "Actions",
    align: "right",
    cell: (member) => <MemberMenu account={account} member={member} />,
  };
  return (
    <>
      <Section
        title="Members"
        note="people who see this account"
        actions={
          canManageMembers && (
            <Button look="primary" icon="plus" onClick={invitation.open}>
              Invite a member
            </Button>
          )
        }
      >
        <Loaded query={members} rows={3}>
          {({ members }) => (
            <WholeList
              caption="Members"
              columns={canManageMembers ? [...memberColumns, menu] : memberColumns}
              rows={members}
              search={search}
              searchLabel="Search by name, address or role"
              icon="user"
              empty={
                <Empty icon="user" title="No members yet">
                  A member signs in, and sees this account alone.
                </Empty>
              }
              {...memberRules}
            />
          )}
        </Loaded>
      </Section>
      <Invitations account={account} />
      <InviteMember
        key={invitation.key}
        account={account}
        isOpen={invitation.isOpen}
        onClose={invitation.close}
      />
    </>
  );
}

function Invitations({ account }: { account: string }) {
  const { canManageMembers } = useAccess();
  const invitations = useQuery(OperatorService.method.listInvitations, { account });
  const withdraw = useChange(OperatorService.method.withdrawInvitation);
  const withdrawal: DataColumn<Invitation> = {
    header: "Actions",
    align: "right",
    cell: ({ id }) => (
      <Button onClick={() => withdraw.mutate({ account, invitationId: id })}>Withdraw</Button>
    ),
  };
  return (
    <Loaded query={invitations} rows={1}>
      {({ invitations }) =>
        invitations.length > 0 && (
          <Section title="Open invitations" note="each works once, for 7 days">
            <DataTable
              caption="Open invitations"
              columns={canManageMembers ? [...invitationColumns, withdrawal] : invitationColumns}
              rows={invitations}
              idOf={({ id }) => id}
            />
          </Section>
        )
      }
    </Loaded>
  );
}

const memberRules: WholeListRules<Member> = {
  idOf: ({ personId }) => personId,
  textsOf: ({ personId, name, email, role }) => [personId, name, email, memberRoleNames[role]],
  orders: {
    name: { name: "By name", compare: byText(({ name }) => name) },
    newest: { name: "Newest first", compare: byLatest(({ createdAt }) => createdAt) },
    seen: {
      name: "Last signed in first",
      compare: byLatest(({ lastSignedInAt }) => lastSignedInAt),
    },
  },
};

const memberColumns: readonly DataColumn<Member>[] = [
  { header: "Name", cell: ({ name }) => <strong className="cut">{name}</strong> },
  { header: "E-mail address", cell: ({ email }) => <span className="cut">{email}</span> },
  { header: "Role", cell: ({ role }) => memberRoleNames[role] },
  {
    header: "Last signed in",
    align: "right",
    cell: ({ lastSignedInAt }) => <Time at={lastSignedInAt} as="relative" none="never" />,
  },
];

const invitationColumns: readonly DataColumn<Invitation>[] = [
  { header: "E-mail address", cell: ({ email }) => <strong className="cut">{email}</strong> },
  { header: "Role", cell: ({ role }) => memberRoleNames[role] },
  { header: "Expires", align: "right", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];
