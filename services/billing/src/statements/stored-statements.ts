import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Statement, StatementSchema } from "@tollgate/proto/tollgate/v1/statement";

/** Returns a stored statement as a message. */
export function readStatement({ document }: { document: unknown }): Statement {
  return fromJson(StatementSchema, document as JsonValue, { ignoreUnknownFields: true });
}
