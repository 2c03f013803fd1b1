import { GatewayError } from "@tollgate/core/errors";
import { type KeyLabel, UsageBy, type UsageFilter } from "@tollgate/proto/tollgate/v1/ledger";

/** By what the sums of usage are, in SQL: of the columns of `usage_day`, and of `at` for times. */
export interface Grouping {
  by: UsageBy;
  name: string;
  accountId: string;
  isTime: boolean;
}

interface Grouped {
  by: UsageBy;
  thenBy?: UsageBy;
}

interface Labelled extends Grouped {
  keyLabels?: readonly KeyLabel[];
}

interface Filtered {
  /** Empty: every account. */
  accountId: string;
  filter?: UsageFilter | undefined;
  keyIds?: readonly string[] | undefined;
  /** Not the usage of these keys. */
  excludedKeyIds?: readonly string[] | undefined;
}

/** Adds a value to those of a statement, and returns its name there. */
export type AddValue = (value: unknown) => string;

/** Returns what usage is summed by, and what each sum is divided by. Throws `invalid_param`. */
export function groupingsOf({
  by,
  thenBy = UsageBy.UNSPECIFIED,
}: Grouped): readonly [Grouping, Grouping] {
  const second = thenBy === UsageBy.UNSPECIFIED ? undivided : groupingOf(thenBy, "then_by");
  return [groupingOf(by, "by"), second];
}

/** Returns the conditions of rows of usage, or of entries, that match. */
export function filterConditions(
  { accountId, filter, keyIds, excludedKeyIds }: Filtered,
  add: AddValue,
): readonly string[] {
  const { keyId = "", alias = "", provider = "", routeType = "", plan = "" } = filter ?? {};
  const columns = Object.entries({
    ...{ account_id: accountId, key_id: keyId, alias, provider, route_type: routeType, plan },
    end_user: filter?.endUser ?? "",
  }).filter(([, value]) => value !== "");
  return [
    ...columns.map(([column, value]) => `${column} = ${add(value)}`),
    ...(filter?.without ?? []).flatMap(withoutCondition),
    ...(keyIds === undefined ? [] : [`key_id = ANY (${add(keyIds)}::text[])`]),
    ...(excludedKeyIds === undefined ? [] : [`key_id <> ALL (${add(excludedKeyIds)}::text[])`]),
  ];
}

/** Returns the condition of usage that has none of a dimension. For tags and owners, keys are excluded instead. */
function withoutCondition(by: UsageBy): string[] {
  if (by === UsageBy.TAG || by === UsageBy.OWNER) return [];
  const column = withoutColumns.includes(by) ? columns[by] : undefined;
  if (column !== undefined) return [`${column} = ''`];
  const message = "Usage is found without a model, key, provider, route, plan, tag or owner.";
  throw new GatewayError("invalid_param", message, { param: "without" });
}

const withoutColumns: readonly UsageBy[] = [
  ...[UsageBy.MODEL, UsageBy.KEY, UsageBy.PROVIDER, UsageBy.ROUTE, UsageBy.PLAN],
];

/** Returns whether usage is summed by end user, or only that of one is. */
export function namesEndUsers({ by, thenBy, filter }: Grouped & Pick<Filtered, "filter">): boolean {
  return [by, thenBy].includes(UsageBy.END_USER) || (filter?.endUser ?? "") !== "";
}

/** Returns the joins that give keys their labels, where sums are by tag or owner. */
export function labelJoins({ by, thenBy, keyLabels = [] }: Labelled, add: AddValue): string {
  const labelled = [UsageBy.TAG, UsageBy.OWNER].filter((one) => one === by || one === thenBy);
  const joins = labelled.map((one) => {
    const labels = keyLabels.filter((label) => label.by === one);
    const keys = add(labels.map(({ keyId }) => keyId));
    const texts = add(labels.map(({ label }) => label));
    return `LEFT JOIN unnest(${keys}::text[], ${texts}::text[]) AS ${labelName(one)} (key, label)
      ON ${labelName(one)}.key = key_id`;
  });
  return joins.join(" ");
}

const undivided: Grouping = {
  ...{ by: UsageBy.UNSPECIFIED, name: "''", accountId: "''", isTime: false },
};

function groupingOf(by: UsageBy, param: string): Grouping {
  const format = timeFormats[by];
  const column = columns[by];
  if (format !== undefined) {
    const name = `to_char(at AT TIME ZONE 'UTC', '${format}')`;
    return { by, name, accountId: "''", isTime: true };
  }
  if (column !== undefined) {
    const isOfAccount = [UsageBy.KEY, UsageBy.ACCOUNT, UsageBy.END_USER].includes(by);
    return { by, name: column, accountId: isOfAccount ? "account_id" : "''", isTime: false };
  }
  const message =
    "Usage is summed by model, key, provider, route, account, plan, tag, owner, end user, hour, day or month.";
  throw new GatewayError("invalid_param", message, { param });
}

function labelName(by: UsageBy): string {
  return by === UsageBy.TAG ? "tag" : "owner";
}

const timeFormats: Partial<Record<UsageBy, string>> = {
  [UsageBy.HOUR]: 'YYYY-MM-DD"T"HH24:00"Z"',
  [UsageBy.DAY]: "YYYY-MM-DD",
  [UsageBy.MONTH]: "YYYY-MM",
};

const columns: Partial<Record<UsageBy, string>> = {
  [UsageBy.MODEL]: "alias",
  [UsageBy.KEY]: "key_id",
  [UsageBy.PROVIDER]: "provider",
  [UsageBy.ROUTE]: "route_type",
  [UsageBy.ACCOUNT]: "account_id",
  [UsageBy.PLAN]: "plan",
  [UsageBy.END_USER]: "end_user",
  [UsageBy.TAG]: "coalesce(tag.label, '')",
  [UsageBy.OWNER]: "coalesce(owner.label, '')",
};
