import type { GatewayError } from "@tollgate/core/errors";
import type { JsonSchema } from "../openapi/json-schema.ts";

/** How the errors of a route are written, where it is not as the envelope. */
export interface ErrorForm {
  /** The name of the form in the OpenAPI document. */
  name: string;
  schema: JsonSchema;
  /** Returns the body of an error response. */
  bodyOf(error: GatewayError, requestId: string): object;
}
