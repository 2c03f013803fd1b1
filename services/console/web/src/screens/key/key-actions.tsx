import type { Key } from "@tollgate/proto/tollgate/v1/operator";
import { Button } from "../../ui/button.tsx";
import { type Opening, useOpen } from "../../ui/use-open.ts";
import { EditKey } from "./edit-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

/** What an operator can do with a key. */
export function KeyActions({ of }: { of: Key }) {
  const [edit, rotate, revoke] = [useOpen(), useOpen(), useOpen()];
  const part = ({ isOpen, close }: Opening) => ({ of, isOpen, onClose: close });
  return (
    <>
      <Button onClick={edit.open}>Edit</Button>
      <Button onClick={rotate.open}>Rotate</Button>
      <Button look="danger" onClick={revoke.open}>
        Revoke
      </Button>
      <EditKey key={`edit ${edit.key}`} {...part(edit)} />
      <RotateKey key={`rotate ${rotate.key}`} {...part(rotate)} />
      <RevokeKey key={`revoke ${revoke.key}`} {...part(revoke)} />
    </>
  );
}
