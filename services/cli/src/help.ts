/** An invalid command line: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const help = `tollgate: the operator's commands

  tollgate account create NAME [--credit USD] [--admission POLICY] [LIMITS]
  tollgate account list [--search TEXT] [--order newest|name] [PAGE]
  tollgate account show ACCOUNT
  tollgate account update ACCOUNT [--admission POLICY] [--time-zone ZONE] [LIMITS]
  tollgate account plan ACCOUNT PLAN|none
  tollgate account bounds ACCOUNT [--max-keys N] [--models GLOB,GLOB] [LIMITS]
  tollgate account freeze|unfreeze|revoke-keys|close ACCOUNT
  tollgate account content ACCOUNT --days N
  tollgate member list ACCOUNT [--search TEXT] [--order name|newest|last-signed-in]
  tollgate member export ACCOUNT PERSON-ID
  tollgate member erase PERSON-ID
  tollgate member invite ACCOUNT EMAIL --role admin|developer|billing
  tollgate member update ACCOUNT PERSON-ID --role admin|developer|billing
  tollgate member remove ACCOUNT PERSON-ID [--revoke-keys]
  tollgate sign-up list
  tollgate sign-up approve SIGN-UP-ID
  tollgate sign-up refuse SIGN-UP-ID
  tollgate key create ACCOUNT [--channel settlement] [POLICY OF A KEY] [LIMITS]
  tollgate key list [ACCOUNT] [--search TEXT] [--order newest|name|last-used] [PAGE]
  tollgate key show KEY-ID
  tollgate key find - < FILE
  tollgate key update KEY-ID [POLICY OF A KEY] [LIMITS]
  tollgate key rotate KEY-ID [--grace 24h]
  tollgate key revoke KEY-ID
  tollgate wallet show ACCOUNT
  tollgate wallet top-up ACCOUNT USD --reference REF
  tollgate wallet adjust ACCOUNT ±USD --reason REASON --reference REF
  tollgate code create --credit USD --expires TIME [--count N] [--name N]
  tollgate code list [--search TEXT] [--order newest|oldest] [PAGE]
  tollgate code revoke BATCH-ID
  tollgate code redeem ACCOUNT CODE
  tollgate payments checkout ACCOUNT USD
  tollgate payments card|portal ACCOUNT
  tollgate payments auto show|off ACCOUNT
  tollgate payments auto set ACCOUNT --below USD --amount USD --monthly-cap USD
  tollgate payments list [--account ACCOUNT] [--state open|credited|failed|refused] [--search TEXT]
    [--order newest|oldest|amount] [PAGE]
  tollgate payments verify [--days N]
  tollgate statement list [--account ACCOUNT] [--search TEXT] [--order newest|oldest] [PAGE]
  tollgate statement show NUMBER [--csv]
  tollgate statement pdf NUMBER FILE
  tollgate statement issue
  tollgate warning list [--account ACCOUNT] [--key KEY-ID] [--open] [--search TEXT]
    [--order newest|oldest] [PAGE]
  tollgate warning set RULE ... | none [--account ACCOUNT]
  tollgate warning channel add mail|webhook|slack TARGET [--account ACCOUNT]
  tollgate warning channel list [--account ACCOUNT]
  tollgate warning channel test CHANNEL-ID [--account ACCOUNT]
  tollgate warning channel remove CHANNEL-ID [--account ACCOUNT]
  tollgate usage [--account ACCOUNT] [--by DIMENSION] [FILTERS] [--from DATE] [--to DATE] [--csv]
  tollgate request list [--account ACCOUNT] [FILTERS] [--failed] [--error CODE]
    [--from DATE] [--to DATE] [--order newest|oldest|charges|duration] [PAGE]
  tollgate request ID
  tollgate request content REQUEST-ID
  tollgate request refund REQUEST-ID USD --reason REASON --reference REF
  tollgate refusal list [--account ACCOUNT] [--key KEY-ID] [--error CODE] [--search TEXT]
    [--order newest|oldest] [PAGE]
  tollgate hold list [--account ACCOUNT] [PAGE]
  tollgate invoice check PROVIDER FILE MONTH
  tollgate ledger list [--account ACCOUNT] [--kind KIND] [--request REQUEST-ID]
    [--key KEY-ID] [--from DATE] [--to DATE] [--order newest|oldest|amount] [PAGE] [--csv]
  tollgate ledger month [MONTH] [--search TEXT] [--order charges|name|balance] [--csv]
  tollgate ledger verify
  tollgate operator create NAME --role ROLE [--account ACCOUNT]
  tollgate operator list [--search TEXT] [--order name|newest|last-signed-in]
  tollgate operator disable OPERATOR
  tollgate operator link [OPERATOR]
  tollgate operator remove-second-factor OPERATOR
  tollgate operator token create NAME --role ROLE [--account ACCOUNT] [--expires TIME]
  tollgate operator token list [--search TEXT] [--order newest|name|last-used]
  tollgate operator token revoke TOKEN-ID
  tollgate audit list [--account ACCOUNT] [--search TEXT] [--order newest|oldest] [PAGE]
  tollgate model list
  tollgate slot disable SLOT [--reason R]
  tollgate slot enable SLOT
  tollgate provider test MODEL [SLOT] [--voice VOICE] [DRAFT]
  tollgate provider models PROVIDER [DRAFT]
  tollgate secret set NAME < FILE
  tollgate secret list
  tollgate secret remove NAME
  tollgate secret rekey
  tollgate catalog check FILE [--environment]
  tollgate catalog import FILE [--publish] [PUBLISHING]
  tollgate catalog export
  tollgate catalog publish FILE [PUBLISHING]
  tollgate catalog rollback REVISION [PUBLISHING]
  tollgate catalog list [--search TEXT] [--order newest|oldest] [PAGE]
  tollgate catalog show [REVISION]
  tollgate catalog diff FROM-REVISION [TO-REVISION]
  tollgate catalog status
  tollgate catalog suggest PROVIDER/MODEL ... | PROVIDER ...
  tollgate import litellm CONFIG.yaml [--keys KEYS.json]
  tollgate import new-api EXPORT.json

Publishing:
  --reason R --base REVISION --without PROCESS (once or more)
Policy of a key:
  --name N --owner O --tag T (once or more) --models GLOB,GLOB --expires TIME
Limits, of a key or of all keys of an account:
  --budget USD/day|week|month|total   --rpm REQUESTS-PER-MINUTE
  --tpm TOKENS-PER-MINUTE             --parallel REQUESTS
Limits of each end user of a key:
  --budget-per-user USD/day|week|month   --rpm-per-user REQUESTS-PER-MINUTE
An update removes a limit with none, as in --budget none, and with --name none, --owner none, --tag none,
  --models all, --expires never

Draft, of what is not in the catalog in use:
  --draft FILE, a catalog; --with-key reads the API key of its providers from standard input

RULE of an account: balance=USD, days-left=DAYS, budget=PERCENT, key-expiry=DAYS, spend=TIMES, statement,
  auto-top-up.
RULE of the gateway, without --account: provider, catalog, uncollected=USD, payment.

KIND is usage, failure, top_up, adjustment or refund. MONTH is a month (UTC) such as 2026-11.
DIMENSION is model, key, provider, route, account, plan, tag, owner, end-user, hour, day or month, or
  two of them: tag,model.
Filters:
  --key KEY-ID --model ALIAS --provider NAME --route ROUTE-TYPE --plan PLAN --tag TAG --owner OWNER
  --end-user USER
  --without model|key|provider|route|plan|tag|owner (once or more), for requests that have none
Page:
  --limit N --before PLACE; the last line of a page is the command that prints the next one
Without --order, lists have the first of their orders. Charges, durations and amounts order the newest 5,000 rows
of the account and the period.

ROLE is customer, viewer, operator or owner; a customer has an --account. OPERATOR is an operator's
name or id.

Every command accepts --json. ACCOUNT is an account's name or id. POLICY is likely, strict or
whole, or default for the gateway's own. PLAN is a plan of the catalog. A reference makes a top-up or an adjustment safe to
repeat. TIME is a date, a time with its zone, or a duration from now: 2027-01-31,
2027-01-31T12:00Z, 30d. DATE is a date (UTC), or the start of an hour: 2026-11-23T08:00Z.
The value of a secret, and the text of a key to find, are read from standard input. --environment also checks that the variables that a catalog names are set. The
commands connect to the gateway of this folder (TOLLGATE_DATA_DIR, default .data), to the one at
TOLLGATE_BILLING_ADDRESS, or from anywhere to a console, with an operator token:
  --server URL --token TOKEN, or TOLLGATE_SERVER and TOLLGATE_TOKEN
`;
