import type { CommandOptions } from "../commands/command.ts";

/**
 * Returns the command that prints the next page of a list, for a shell: the words and the options of the command
 * that printed the page before, except where it begins.
 */
export function nextPageCommand(
  words: readonly string[],
  options: CommandOptions & { server?: string | undefined },
  next: string,
): string {
  const kept = Object.entries(options).filter(([name]) => name !== "before");
  const texts = kept.flatMap(([name, value]) => [value].flat().map((one) => optionText(name, one)));
  const before = optionText("before", next);
  return [...words.map(quoted), ...texts.filter((text) => text !== ""), before].join(" ");
}

function optionText(name: string, value: string | boolean | undefined): string {
  if (value === undefined || value === false) return "";
  if (value === true) return `--${name}`;
  // Else the value is taken for an option.
  return value.startsWith("-") ? `--${name}=${quoted(value)}` : `--${name} ${quoted(value)}`;
}

/** Returns a text as a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
