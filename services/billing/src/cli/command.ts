import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";

/** A command's result: lines to read, and the same as JSON. */
export interface Output {
  lines: readonly string[];
  json: unknown;
  /** True if the command ran and found a fault. */
  failed?: boolean;
}

export interface Options {
  credit?: string | undefined;
  admission?: string | undefined;
  channel?: string | undefined;
  reference?: string | undefined;
  account?: string | undefined;
  limit?: string | undefined;
  before?: string | undefined;
  by?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  csv?: boolean | undefined;
}

export interface Command {
  /** The names of its positional arguments. */
  takes: readonly string[];
  /** Whether it takes its last argument once or more. */
  repeatsLast?: true;
  options: readonly (keyof Options)[];
  run(args: readonly string[], options: Options, operator: () => Operator): Promise<Output>;
}

export type Operator = Client<typeof OperatorService>;
