import { type Catalog, type Model, servableModel } from "@tollgate/catalog/model";

/** What the routes of the agents' wires need of a model before it is called. */
export type AgentModel = Pick<Model, "allows" | "contextTokens">;

/** An alias that is unknown allows nothing. */
const unknownModel: AgentModel = { allows: new Set(), contextTokens: undefined };

/** Returns the model of an alias that a key may call, by the globs of the key's policy. */
export function agentModelOf(
  catalog: Catalog,
  alias: unknown,
  models: readonly string[],
): AgentModel {
  return servableModel(catalog, alias, "chat", models) ?? unknownModel;
}
