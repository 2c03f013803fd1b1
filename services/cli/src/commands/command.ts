import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";

/** A command's result: lines to read, and the same as JSON. */
export interface Output {
  lines: readonly string[];
  json: unknown;
  /** True if the command ran and found a fault. */
  failed?: boolean;
  /** What --before of the next page is. Empty: there are no more. */
  next?: string;
}

/** The options of all commands, for `parseArgs`. */
export const optionTypes = {
  account: { type: "string" },
  admission: { type: "string" },
  amount: { type: "string" },
  base: { type: "string" },
  before: { type: "string" },
  below: { type: "string" },
  budget: { type: "string" },
  "budget-per-user": { type: "string" },
  by: { type: "string" },
  channel: { type: "string" },
  count: { type: "string" },
  credit: { type: "string" },
  csv: { type: "boolean" },
  days: { type: "string" },
  draft: { type: "string" },
  "end-user": { type: "string" },
  environment: { type: "boolean" },
  error: { type: "string" },
  expires: { type: "string" },
  failed: { type: "boolean" },
  from: { type: "string" },
  grace: { type: "string" },
  keep: { type: "string" },
  key: { type: "string" },
  kind: { type: "string" },
  keys: { type: "string" },
  limit: { type: "string" },
  "max-keys": { type: "string" },
  "monthly-cap": { type: "string" },
  model: { type: "string" },
  models: { type: "string" },
  name: { type: "string" },
  open: { type: "boolean" },
  order: { type: "string" },
  owner: { type: "string" },
  parallel: { type: "string" },
  plan: { type: "string" },
  provider: { type: "string" },
  publish: { type: "boolean" },
  reason: { type: "string" },
  reference: { type: "string" },
  request: { type: "string" },
  "revoke-keys": { type: "boolean" },
  role: { type: "string" },
  route: { type: "string" },
  rpm: { type: "string" },
  "rpm-per-user": { type: "string" },
  search: { type: "string" },
  state: { type: "string" },
  tag: { type: "string", multiple: true },
  "time-zone": { type: "string" },
  to: { type: "string" },
  tpm: { type: "string" },
  without: { type: "string", multiple: true },
  voice: { type: "string" },
  "with-key": { type: "boolean" },
} as const;

type OptionTypes = typeof optionTypes;

export type CommandOptions = {
  [Name in keyof OptionTypes]?:
    | (OptionTypes[Name] extends { multiple: true }
        ? string[]
        : OptionTypes[Name] extends { type: "boolean" }
          ? boolean
          : string)
    | undefined;
};

export interface Command {
  /** The names of its positional arguments. */
  takes: readonly string[];
  /** The name of one more, which may be left out. */
  mayTake?: string;
  /** Whether it takes its last argument once or more. */
  repeatsLast?: true;
  options: readonly (keyof CommandOptions)[];
  /** `server` is the URL of the console that `operator` uses; undefined for billing itself. */
  run(
    args: readonly string[],
    options: CommandOptions,
    operator: () => OperatorClient,
    server?: string,
  ): Promise<Output>;
}

export type OperatorClient = Client<typeof OperatorService>;
