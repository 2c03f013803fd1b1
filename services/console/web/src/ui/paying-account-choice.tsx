import { Picker } from "./picker.tsx";
import { useSearchChange } from "./search-link.tsx";

/** Chooses the account that pays. Nothing for a customer. */
export function PayingAccountChoice({ account }: { account: string }) {
  const change = useSearchChange();
  if (account === "") return null;
  return (
    <Picker
      kind="account"
      label="Account that pays"
      placeholder="Search by name or id"
      value={account}
      onChoose={(chosen) => change({ account: chosen })}
    />
  );
}
