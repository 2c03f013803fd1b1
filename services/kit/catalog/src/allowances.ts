/**
 * What the agents' wires take of a model only where its catalog entry allows it: it costs more than
 * tokens, or reaches objects that all customers share at the provider.
 */
export const switches = [
  "priority",
  "web_search",
  "web_fetch",
  "code_execution",
  "image_generation",
  "file_search",
  "mcp",
  "urls",
  "stored",
] as const;

export type Switch = (typeof switches)[number];

/** The switches of tools that the provider runs. Each call costs the price `tool:NAME`. */
export const toolSwitches: ReadonlySet<string> = new Set<Switch>([
  "web_search",
  "web_fetch",
  "code_execution",
  "image_generation",
  "file_search",
  "mcp",
]);

/** An entry of `allows` that names a beta of Anthropic's API, or a member of a request. */
export const namedAllowance =
  /^(beta:[a-z0-9][a-z0-9._-]{0,63}|member:[A-Za-z_][A-Za-z0-9_.:-]{0,63})$/;

/** Whether an entry of a model's `allows` is a switch or names a beta or a member. */
export function isAllowance(text: string): boolean {
  return switches.some((name) => name === text) || namedAllowance.test(text);
}
