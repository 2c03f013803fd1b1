/** Returns what OpenAI says of the first member that a strict object does not have; undefined for other issues. */
export function unknownParameter(issue: { code?: string; keys?: unknown }): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const [name] = (issue.keys as string[] | undefined) ?? [];
  return `Unknown parameter: '${name}'.`;
}
