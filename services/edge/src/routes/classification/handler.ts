import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { classificationSchema, laneFields } from "./schema.ts";

/** The maximum size of a page. No token is shorter than a byte. */
const tokensPerPage = 2_000;

/** POST /v1/classification. The alias's lane decides which fields it accepts. */
export function classify(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  const { services, catalog } = dependencies;
  return jsonHandler(
    dependencies,
    rules,
    (body, { models }) => {
      // Null means absent, also in a field of the other lane.
      for (const name of laneFields) if (body[name] === null) delete body[name];
      return classificationSchema(body, catalog(), models);
    },
    (fields, call, options) => {
      const { labels, types = labels, ...members } = fields;
      const inputs = typeof fields.input === "string" ? [fields.input] : fields.input;
      const request = {
        ...call(types === undefined ? members : { ...members, types }),
        inputs: inputs.length,
        mostPages: BigInt(inputs.reduce((sum, input) => sum + maxPagesOf(input), 0)),
      };
      return services.document.classify(request, options);
    },
  );
}

function maxPagesOf(input: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(input) / tokensPerPage));
}
