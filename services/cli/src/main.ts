#!/usr/bin/env node
import { parseArgs } from "node:util";
import { GatewayError, PeerError, StartError } from "@tollgate/core/errors";
import { type Command, type CommandOptions, type Output, optionTypes } from "./commands/command.ts";
import { commands } from "./commands.ts";
import { openOperator, readServer, type Server } from "./connection/connect-operator.ts";
import { ServerError } from "./connection/connect-transport.ts";
import { dataFolderOf, operatorAddress } from "./connection/operator-address.ts";
import { help, UsageError } from "./help.ts";
import { nextPageCommand } from "./text/next-page.ts";
import { printable } from "./text/printable.ts";

/** How the command was called, for a line that calls it again. */
const program = process.env.npm_command === "exec" ? ["npx", "tollgate"] : ["tollgate"];

/** A minus sign that `parseArgs` does not take for an option, as in `wallet adjust NAME -5.00`. */
const minus = "\u2212";

process.exitCode = await main(process.argv.slice(2));

/**
 * Runs one command. Resolves with the exit code: 0 done, 1 refused, failed or a fault found, 2
 * invalid usage.
 */
async function main(argv: string[]): Promise<number> {
  const address = operatorAddress(process.env);
  try {
    const { words, options, json, wantsHelp, server, token } = readCommandLine(argv);
    if (json && options.csv) throw new UsageError("choose --json or --csv");
    if (wantsHelp || words.length === 0) {
      process.stdout.write(help);
      return wantsHelp ? 0 : 2;
    }
    const output = await run(words, options, readServer({ server, token }, process.env));
    if (json) process.stdout.write(`${printable(JSON.stringify(output.json))}\n`);
    else writeLines(output.lines, options);
    if (output.next && !json) writeNextPage(words, { ...options, server }, output.next);
    return output.failed ? 1 : 0;
  } catch (error) {
    process.stderr.write(`tollgate: ${printable(explain(error, address))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function writeLines(lines: readonly string[], { csv }: CommandOptions): void {
  const text = lines.join("\n");
  // A file gets CSV as it is.
  const isForFile = csv === true && !process.stdout.isTTY;
  if (text !== "") process.stdout.write(`${isForFile ? text : printable(text)}\n`);
}

/** Writes the command of the next page. It has no token, which is a secret. */
function writeNextPage(
  words: readonly string[],
  options: CommandOptions & { server: string | undefined },
  next: string,
): void {
  const line = `more: ${nextPageCommand([...program, ...words], options, next)}`;
  const stream = options.csv === true ? process.stderr : process.stdout;
  stream.write(`${printable(line)}\n`);
}

async function run(
  words: readonly string[],
  options: CommandOptions,
  server: Server | undefined,
): Promise<Output> {
  // The words of a command come first, and are one to three.
  const lengths = [3, 2, 1].filter((length) => Object.hasOwn(commands, nameOf(words, length)));
  const [length = 2] = lengths;
  const name = nameOf(words, length);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`unknown command ${name} (see --help)`);
  const args = words.slice(length);
  checkArguments(name, command, args, options);
  let connection: ReturnType<typeof openOperator> | undefined;
  try {
    const connect = () => {
      connection ??= openOperator(server, process.env);
      return connection.client;
    };
    return await command.run(args, options, connect, server?.url);
  } finally {
    connection?.close();
  }
}

function nameOf(words: readonly string[], length: number): string {
  return words.slice(0, length).join(" ");
}

function checkArguments(
  name: string,
  command: Command,
  args: readonly string[],
  options: CommandOptions,
): void {
  const { takes, mayTake, repeatsLast } = command;
  const most = takes.length + (mayTake === undefined ? 0 : 1);
  if (args.length < takes.length || (args.length > most && !repeatsLast)) {
    const optional = mayTake === undefined ? [] : [`at most one ${mayTake}`];
    const names = [...takes, ...optional].join(" and ") || "no arguments";
    throw new UsageError(`${name} takes ${names}${repeatsLast ? ", once or more" : ""}`);
  }
  for (const option of Object.keys(options) as (keyof CommandOptions)[]) {
    if (!command.options.includes(option)) throw new UsageError(`${name} takes no --${option}`);
  }
}

function readCommandLine(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: args.map(markNegative),
      allowPositionals: true,
      options: {
        ...optionTypes,
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        server: { type: "string" },
        token: { type: "string" },
      },
    });
    const { json, help: wantsHelp, server, token, ...options } = values;
    return { words: positionals.map(unmarkNegative), options, json, wantsHelp, server, token };
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0] ?? "");
  }
}

function markNegative(arg: string): string {
  return /^-\d/.test(arg) ? minus + arg.slice(1) : arg;
}

function unmarkNegative(arg: string): string {
  return arg.startsWith(minus) ? `-${arg.slice(1)}` : arg;
}

function explain(error: unknown, address: string): string {
  if (error instanceof PeerError && error.reason === "refused") {
    return `the gateway at ${address} refused the connection: set TOLLGATE_FLEET_SECRET and TOLLGATE_OPERATOR_SECRET to its secrets`;
  }
  if (error instanceof PeerError && process.env.TOLLGATE_BILLING_ADDRESS) {
    return `no gateway responds at ${address}, which TOLLGATE_BILLING_ADDRESS names`;
  }
  if (error instanceof PeerError) {
    return (
      `no gateway is running with the data folder ${dataFolderOf(process.env)}: start one, ` +
      "or set TOLLGATE_DATA_DIR or TOLLGATE_BILLING_ADDRESS"
    );
  }
  const isExpected = [UsageError, GatewayError, StartError, ServerError].some(
    (kind) => error instanceof kind,
  );
  if (isExpected || (error instanceof Error && "code" in error)) return (error as Error).message;
  return String((error as Error).stack ?? error);
}
