import { presentMembers } from "./catalog-draft.ts";

/** A key of another gateway, without its secret. */
export interface ImportedKey {
  account: string;
  name?: string | undefined;
  /** USD, with its period: `10/month`. */
  budget?: string | undefined;
  rpm?: number | undefined;
  tpm?: number | undefined;
  parallel?: number | undefined;
  models?: readonly string[] | undefined;
  /** ISO 8601. */
  expires?: string | undefined;
}

/** Returns the commands that create the accounts and the keys. */
export function keyCommands(keys: readonly ImportedKey[]): string[] {
  const accounts = new Set(keys.map(({ account }) => account));
  return [
    ...Array.from(accounts, (account) => `tollgate account create ${quoted(account)}`),
    ...keys.map(keyCommand),
  ];
}

function keyCommand({ account, models = [], ...policy }: ImportedKey): string {
  const options = { ...policy, models: models.length === 0 ? undefined : models.join(",") };
  const words = Object.entries(presentMembers(options)).map(
    ([name, value]) => ` --${name} ${quoted(String(value))}`,
  );
  return `tollgate key create ${quoted(account)}${words.join("")}`;
}

/** Quotes a word for a shell where it must be. A line break would end the comment that it is in. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return /^[\w./:,*@+-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
