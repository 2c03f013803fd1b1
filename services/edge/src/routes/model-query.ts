import type { QueryParameter } from "./route-rules.ts";

/** Returns the required query parameter `model`, which `readModelQuery` reads. */
export function modelQuery(routeType: string): readonly QueryParameter[] {
  const description = `The alias of a model whose \`route_type\` is \`${routeType}\`.`;
  const schema = { type: "string", minLength: 1 };
  return [{ name: "model", description, required: true, schema }];
}
