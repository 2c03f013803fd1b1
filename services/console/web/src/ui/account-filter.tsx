import { useAccountNames } from "../calls/use-account-names.ts";
import { useSearchChange } from "./search-link.tsx";

/** Chooses the account of which a screen shows something. */
export function AccountFilter({ account }: { account: string }) {
  const { all, nameOf } = useAccountNames([account]);
  const change = useSearchChange();
  const isListed = all.some(({ id }) => id === account);
  return (
    <select
      aria-label="Account"
      value={account}
      onChange={(event) => change({ account: event.target.value || undefined })}
    >
      <option value="">All accounts</option>
      {account !== "" && !isListed && <option value={account}>{nameOf(account)}</option>}
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
