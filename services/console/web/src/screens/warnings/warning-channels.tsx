import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { WarningChannel } from "@tollgate/proto/tollgate/v1/warning";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { AddChannel, channelNames } from "./add-channel.tsx";

/** Where the warnings of an account, or of the gateway, go. */
export function WarningChannels({ account }: { account: string }) {
  const settings = useQuery(OperatorService.method.getWarningSettings, { account });
  const { canChange, isCustomer } = useAccess();
  const isEditor = canChange || isCustomer;
  const addition = useOpen();
  const actions: DataColumn<WarningChannel> = {
    header: "Actions",
    align: "right",
    cell: (channel) => <ChannelActions account={account} channel={channel} />,
  };
  return (
    <Section
      title="Channels"
      note="where warnings go"
      actions={
        isEditor && (
          <Button icon="plus" onClick={addition.open}>
            Add a channel
          </Button>
        )
      }
    >
      <Loaded query={settings} rows={2}>
        {({ channels, sendsMail, sendsWebhooks }) => (
          <>
            {channels.length === 0 ? (
              <Empty icon="bell" title="No channels">
                Warnings are listed here, and sent to nobody.
              </Empty>
            ) : (
              <DataTable
                caption="Channels"
                columns={isEditor ? [...columns, actions] : columns}
                rows={channels}
                idOf={({ id }) => id}
              />
            )}
            <AddChannel
              key={addition.key}
              {...{ account, sendsMail, sendsWebhooks }}
              isOpen={addition.isOpen}
              onClose={addition.close}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function ChannelActions({ account, channel }: { account: string; channel: WarningChannel }) {
  const test = useChange(OperatorService.method.testWarningChannel);
  const remove = useChange(OperatorService.method.removeWarningChannel);
  const request = { account, channelId: channel.id };
  return (
    <span className="actions">
      <span role="status">{test.error ? errorMessageOf(test.error) : resultOf(test.data)}</span>
      <Button disabled={test.isPending} onClick={() => test.mutate(request)}>
        Send test
      </Button>
      <Button disabled={remove.isPending} onClick={() => remove.mutate(request)}>
        Remove
      </Button>
    </span>
  );
}

function resultOf(result: { error: string } | undefined): string {
  if (result === undefined) return "";
  return result.error === "" ? "Sent." : `Not taken: ${result.error}.`;
}

const columns: readonly DataColumn<WarningChannel>[] = [
  { header: "Target", cell: ({ target }) => <strong className="cut">{target}</strong> },
  { header: "Kind", cell: ({ kind }) => channelNames[kind] },
  {
    header: "Last delivered",
    cell: ({ deliveredAt }) => <Time at={deliveredAt} as="relative" none="never" />,
  },
  {
    header: "State",
    cell: ({ error, waiting }) =>
      error === "" ? "ok" : <Badge tone="bad">{`${error}, ${waiting} waiting`}</Badge>,
  },
];
