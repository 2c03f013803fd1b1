import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Statement, StatementSchema } from "@tollgate/proto/tollgate/v1/statement";

/** Returns the message of a stored statement. */
export function readStatement({ document }: { document: unknown }): Statement {
  return fromJson(StatementSchema, document as JsonValue, { ignoreUnknownFields: true });
}
