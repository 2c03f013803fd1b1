import type { PayingAccount } from "../calls/use-paying-account.ts";
import { useSearchChange } from "./search-link.tsx";

/** Chooses the account that pays. Nothing for a customer. */
export function PayingAccountChoice({ account, all }: PayingAccount) {
  const change = useSearchChange();
  if (all.length === 0) return null;
  return (
    <select
      aria-label="Account that pays"
      value={account}
      onChange={(event) => change({ account: event.target.value })}
    >
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
