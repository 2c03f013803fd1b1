/** The command of a tool that runs one. It does nothing, wherever an agent runs it. */
export const harmlessCommand = "echo hello";

const commandName = /^(command|cmd|script|shell|bash)(line)?$/;

/** The paths that a tool is called with. Both are relative. */
export interface Paths {
  readonly file: string;
  readonly folder: string;
}

/** For a tool that only reads: most projects have these. */
export const existingPaths: Paths = { file: "README.md", folder: "." };

/** For a tool that may write or delete: no project is likely to have these. */
export const missingPaths: Paths = { file: "example.txt", folder: "example" };

const words: readonly [name: RegExp, word: (paths: Paths) => string][] = [
  [commandName, () => harmlessCommand],
  [/(file|path|filename)s?$/, ({ file }) => file],
  [/(dir|directory|directories|folder|cwd|workspace)s?$/, ({ folder }) => folder],
  [/(url|uri|href|link)s?$/, () => "https://example.com/"],
  [/(pattern|glob|regex)$/, () => "README*"],
  [/^(city|location)$/, () => "Bern"],
];

/** Returns a text that does no harm as the property `name` of a tool's arguments. */
export function harmlessWord(name: string, paths: Paths): string {
  const plain = plainName(name);
  return words.find(([pattern]) => pattern.test(plain))?.[1](paths) ?? "example";
}

/** Returns whether a property holds a command that a tool may run. */
export function isCommand(name: string): boolean {
  return commandName.test(plainName(name));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}
