import type { DescMethod } from "@bufbuild/protobuf";

/** Returns the fully qualified name of a method, for example `tollgate.v1.LedgerService/Hold`. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
