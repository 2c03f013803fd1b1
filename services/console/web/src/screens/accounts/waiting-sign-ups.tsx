import { useQuery } from "@connectrpc/connect-query";
import type { WaitingSignUp } from "@tollgate/proto/tollgate/v1/member";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Time } from "../../ui/time.tsx";

/** The people who have signed up and wait for an account. Nothing where nobody waits. */
export function WaitingSignUps() {
  const { canChange } = useAccess();
  const read = useQuery(OperatorService.method.listSignUps, {});
  const approve = useChange(OperatorService.method.approveSignUp);
  const refuse = useChange(OperatorService.method.refuseSignUp);
  const signUps = read.data?.signUps ?? [];
  const error = approve.error ?? refuse.error;
  if (signUps.length === 0) return null;
  const actions: DataColumn<WaitingSignUp> = {
    header: "Actions",
    align: "right",
    cell: ({ id: signUpId }) => (
      <span className="filters">
        <Button onClick={() => approve.mutate({ signUpId })}>Approve</Button>
        <Button look="danger" onClick={() => refuse.mutate({ signUpId })}>
          Refuse
        </Button>
      </span>
    ),
  };
  return (
    <Section title="Waiting for approval" note="people who have confirmed their address">
      {error && (
        <p className="form-error" role="alert">
          {errorMessageOf(error)}
        </p>
      )}
      <DataTable
        caption="Waiting for approval"
        columns={canChange ? [...columns, actions] : columns}
        rows={signUps}
        idOf={({ id }) => id}
      />
    </Section>
  );
}

const columns: readonly DataColumn<WaitingSignUp>[] = [
  { header: "Account", cell: ({ accountName }) => <strong className="cut">{accountName}</strong> },
  { header: "E-mail address", cell: ({ email }) => <span className="cut">{email}</span> },
  {
    header: "Since",
    align: "right",
    cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
  },
];
