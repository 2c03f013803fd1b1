/** Returns whether bounds allow an alias: they have globs, in which `*` is any text. None allow all. */
export function isAllowed(alias: string, globs: readonly string[]): boolean {
  return globs.length === 0 || globs.some((glob) => patternOf(glob).test(alias));
}

function patternOf(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
