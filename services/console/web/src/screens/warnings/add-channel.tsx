import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { WarningChannelKind } from "@tollgate/proto/tollgate/v1/warning";
import { useChange } from "../../calls/use-change.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DoneButton } from "../../ui/done-button.tsx";
import { CallForm, Choice, Field } from "../../ui/form.tsx";
import { SecretText } from "../../ui/secret-text.tsx";

export const channelNames: Readonly<Record<WarningChannelKind, string>> = {
  [WarningChannelKind.UNSPECIFIED]: "",
  [WarningChannelKind.MAIL]: "Mail",
  [WarningChannelKind.WEBHOOK]: "Webhook",
  [WarningChannelKind.SLACK]: "Slack",
};

interface Props {
  account: string;
  sendsMail: boolean;
  sendsWebhooks: boolean;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds a channel. The secret of a webhook is shown once. */
export function AddChannel({ account, sendsMail, sendsWebhooks, isOpen, onClose }: Props) {
  const create = useChange(OperatorService.method.createWarningChannel);
  const kinds = [
    ...(sendsMail ? [WarningChannelKind.MAIL] : []),
    ...(sendsWebhooks ? [WarningChannelKind.WEBHOOK, WarningChannelKind.SLACK] : []),
  ];
  if (kinds.length === 0) {
    return (
      <Dialog title="Add a channel" isOpen={isOpen} onClose={onClose}>
        <p>The gateway sends neither mail nor webhooks: TOLLGATE_IDENTITY_KEY is not set.</p>
      </Dialog>
    );
  }
  if (create.data) {
    const { secret } = create.data;
    return (
      <Dialog title="The channel is added" isOpen={isOpen} onClose={onClose}>
        {secret !== "" && (
          <>
            <p>This secret signs the messages. It is shown only now.</p>
            <SecretText text={secret} what="secret" />
          </>
        )}
        <DoneButton onClick={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Add a channel" isOpen={isOpen} onClose={onClose}>
      <CallForm
        submit="Add"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(values) =>
          create.mutate({ account, kind: Number(values("kind")), target: values("target") })
        }
        onCancel={onClose}
      >
        <Choice
          label="Kind"
          name="kind"
          options={kinds.map((kind) => [String(kind), channelNames[kind]] as const)}
        />
        <Field
          label="Target"
          name="target"
          required
          autoComplete="off"
          hint="The address of a member, or the https: URL of a webhook."
        />
      </CallForm>
    </Dialog>
  );
}
