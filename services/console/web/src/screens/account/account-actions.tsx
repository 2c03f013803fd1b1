import type { AccountSummary } from "@tollgate/proto/tollgate/v1/operator";
import { Button } from "../../ui/button.tsx";
import { CreateKey } from "../../ui/create-key.tsx";
import { type Opening, useOpen } from "../../ui/use-open.ts";
import { AccountMenu } from "./account-menu.tsx";
import { AdjustWallet } from "./adjust-wallet.tsx";
import { EditAccount } from "./edit-account.tsx";
import { TopUpDialog } from "./top-up-dialog.tsx";

/** What an operator can do with an account. */
export function AccountActions({ summary }: { summary: AccountSummary }) {
  const [edit, adjust, key, topUp] = [useOpen(), useOpen(), useOpen(), useOpen()];
  const { account } = summary;
  if (account === undefined) return null;
  const part = ({ isOpen, close }: Opening) => ({ isOpen, onClose: close });
  return (
    <>
      <AccountMenu account={account} />
      <Button onClick={edit.open}>Edit</Button>
      <Button onClick={adjust.open}>Adjust</Button>
      <Button icon="plus" onClick={key.open}>
        Key
      </Button>
      <Button look="primary" onClick={topUp.open}>
        Top up
      </Button>
      <EditAccount key={`edit ${edit.key}`} {...part(edit)} account={account} />
      <AdjustWallet key={`adjust ${adjust.key}`} {...part(adjust)} account={account} />
      <CreateKey key={`key ${key.key}`} {...part(key)} account={account.id} />
      <TopUpDialog key={`topUp ${topUp.key}`} {...part(topUp)} account={account} />
    </>
  );
}
