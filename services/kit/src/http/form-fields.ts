import { GatewayError } from "../errors.ts";
import type { FormPart } from "./multipart.ts";

/** Raises `unknown_param` for a part that the route does not take. */
export function refuseUnknownParts(parts: readonly FormPart[], names: readonly string[]): void {
  const unknown = parts.find(({ name }) => !names.includes(name));
  if (unknown === undefined) return;
  const param = unknown.name.slice(0, 200);
  throw new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}

/** The files under a name. Raises `invalid_param` when there is none, or a text instead. */
export function filesOf(parts: readonly FormPart[], name: string): { contentType: string }[] {
  const named = parts.filter((part) => part.name === name);
  if (named.length === 0) throw invalidPart(name, "is required");
  return named.map((part) => {
    if (part.kind === "file") return part;
    throw invalidPart(name, "must be a file");
  });
}

/** The text under a name. Raises `invalid_param` when it comes twice, or as a file. */
export function textOf(parts: readonly FormPart[], name: string): string | undefined {
  const [part, ...others] = parts.filter((one) => one.name === name);
  if (others.length > 0) throw invalidPart(name, "must come once");
  if (part?.kind === "file") throw invalidPart(name, "must be a text, not a file");
  return part?.value;
}

/** The text under a name that must have one. Raises `invalid_param`. */
export function requiredTextOf(parts: readonly FormPart[], name: string): string {
  const value = textOf(parts, name);
  if (value === undefined) throw invalidPart(name, "is required");
  if (value === "") throw invalidPart(name, "must not be empty");
  return value;
}

export function invalidPart(param: string, what: string): GatewayError {
  return new GatewayError("invalid_param", `${param}: ${what}.`, { param });
}
