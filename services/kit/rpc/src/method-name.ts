import type { DescMethod } from "@bufbuild/protobuf";

/** A method's name in paths, on a trunk, in logs and in spans. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
