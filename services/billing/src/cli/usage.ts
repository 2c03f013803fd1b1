/** An invalid command line: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const help = `tollgate: the operator's commands

  tollgate account create NAME [--credit USD] [--admission POLICY]
  tollgate account update ACCOUNT --admission POLICY
  tollgate key create ACCOUNT [--channel settlement]
  tollgate key revoke KEY-ID
  tollgate wallet top-up ACCOUNT USD --reference REF
  tollgate usage [--account ACCOUNT] [--by model|key|day] [--from DATE] [--to DATE] [--csv]
  tollgate ledger list [--account ACCOUNT] [--limit N] [--before ENTRY]
  tollgate ledger verify
  tollgate catalog check FILE
  tollgate catalog suggest PROVIDER/MODEL ...

Every command accepts --json. ACCOUNT is an account's name or id. POLICY is likely, strict or
whole, or default for the gateway's own. A top-up's reference makes it safe to repeat. DATE is a
date (UTC), or the start of an hour: 2026-11-23T08:00Z. The commands connect to the gateway of
this folder (TOLLGATE_DATA_DIR, default .data), or to the one at TOLLGATE_BILLING_ADDRESS.
`;
