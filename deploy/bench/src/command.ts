import { parseArgs } from "node:util";

/** A flag: what `--help` says of it, and its default. One without a default can be omitted. */
interface Flag {
  about: string;
  default?: string | boolean;
}

type Values<Flags> = {
  [Name in keyof Flags]: Flags[Name] extends { default: boolean }
    ? boolean
    : Flags[Name] extends { default: string }
      ? string
      : string | undefined;
};

interface Definition<Flags> {
  name: string;
  /** What it measures, in one line. */
  about: string;
  details: string;
  /** What it takes beside flags, such as `FOLDER …`. Default: nothing. */
  takes?: string;
  flags: Flags;
  run(values: Values<Flags>, words: readonly string[]): Promise<void>;
}

/** A command of `npm run bench`. */
export interface BenchCommand extends Pick<Definition<unknown>, "name" | "about"> {
  help(): string;
  /** Throws a TypeError for a flag or a word that the command does not take. */
  run(args: string[]): Promise<void>;
}

/** Creates a command from its flags and what it does with their values. */
export function defineCommand<const Flags extends Readonly<Record<string, Flag>>>(
  definition: Definition<Flags>,
): BenchCommand {
  const { name, about, details, takes, flags, run } = definition;
  return {
    name,
    about,
    help() {
      const usage = ["usage: npm run bench --", name, takes, "[FLAGS]"].filter(Boolean).join(" ");
      return `${usage}\n\n${details}\n\n${Object.entries(flags).map(lineOf).join("\n")}\n`;
    },
    run(args) {
      const options = Object.fromEntries(Object.entries(flags).map(optionOf));
      const allowPositionals = takes !== undefined;
      const { values, positionals } = parseArgs({ args, options, allowPositionals });
      return run(values as Values<Flags>, positionals);
    },
  };
}

function optionOf([name, flag]: [string, Flag]) {
  const type = typeof flag.default === "boolean" ? ("boolean" as const) : ("string" as const);
  return [name, flag.default === undefined ? { type } : { type, default: flag.default }] as const;
}

function lineOf([name, flag]: [string, Flag]): string {
  const shown = typeof flag.default === "string" ? ` (${flag.default})` : "";
  return `  --${name.padEnd(14)} ${flag.about}${shown}`;
}
