/** The command of a tool that runs one. It does nothing, wherever an agent runs it. */
export const harmlessCommand = "echo hello";

const commandName = /^(command|cmd|script|shell|bash)(line)?$/;

const words: readonly [name: RegExp, word: string][] = [
  [commandName, harmlessCommand],
  [/(file|path|filename)s?$/, "README.md"],
  [/(dir|directory|folder|cwd|workspace)$/, "."],
  [/(url|uri|href|link)s?$/, "https://example.com/"],
  [/(pattern|glob|regex)$/, "README*"],
  [/^(city|location)$/, "Bern"],
];

/** Returns a text that does no harm as the property `name` of a tool's arguments. */
export function harmlessWord(name: string): string {
  const plain = plainName(name);
  return words.find(([pattern]) => pattern.test(plain))?.[1] ?? "example";
}

/** Returns whether a property holds a command that a tool may run. */
export function isCommand(name: string): boolean {
  return commandName.test(plainName(name));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}
