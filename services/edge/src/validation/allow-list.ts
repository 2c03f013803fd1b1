import type { Switch } from "@tollgate/catalog/allowances";
import { type GatewayError, invalidParam, unknownParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { formatPath } from "./validate.ts";

/**
 * What a value of a request may be. What a rule does not list is refused by name, since the provider may
 * act on it at a cost that is not known here. The types of plain values are not checked.
 */
export type ListRule =
  /** Any value, which is not looked into. */
  | { readonly kind: "free" }
  | MembersRule
  /** An array, or a plain value. */
  | { readonly kind: "list"; readonly item: ListRule }
  | TypesRule
  | ValuesRule
  | GateRule
  /** An object, or a plain value such as the id of one that exists. */
  | { readonly kind: "either"; readonly object: ListRule; readonly plain: ListRule };

/** An object with these members. */
interface MembersRule {
  readonly kind: "members";
  readonly members: ReadonlyMap<string, ListRule>;
}

/**
 * An object of one of these types. A date at the end of a type is no part of its name here. An object
 * without a type is of the type `untyped`.
 */
interface TypesRule {
  readonly kind: "types";
  readonly types: ReadonlyMap<string, ListRule>;
  readonly untyped: string | undefined;
}

/** One of these values, each with what the model must allow for it. */
interface ValuesRule {
  readonly kind: "values";
  readonly values: ReadonlyMap<unknown, Switch | undefined>;
  /** What the model must allow for any other value. Undefined: it is refused. */
  readonly others: Switch | undefined;
}

/** A value that the model must allow. */
interface GateRule {
  readonly kind: "gate";
  readonly needs: Switch;
  readonly rule: ListRule;
  /** Returns whether the value is left out of the request where the model does not allow it. */
  readonly isLeftOut: ((value: JsonObject) => boolean) | undefined;
}

export const free: ListRule = { kind: "free" };

/** Returns the rule of an object with the named members, whose values are free, and with `more`. */
export function members(names: string, more: Readonly<Record<string, ListRule>> = {}): MembersRule {
  const plain = names.split(" ").filter((name) => name !== "");
  const all = [...plain.map((name) => [name, free] as const), ...Object.entries(more)];
  return { kind: "members", members: new Map(all) };
}

/** Returns the rule of a list of such values. */
export function listOfRule(item: ListRule): ListRule {
  return { kind: "list", item };
}

/** Returns the rule of an object whose member `type` says which of the rules it follows. */
export function types(rules: Readonly<Record<string, ListRule>>, untyped?: string): TypesRule {
  return { kind: "types", types: new Map(Object.entries(rules)), untyped };
}

/** Returns the rule of one of these values; `others` is what the model must allow for another one. */
export function values(
  known: Readonly<Record<string, Switch | undefined>>,
  others?: Switch,
): ValuesRule {
  return { kind: "values", values: new Map(Object.entries(known)), others };
}

/** Returns the rule of a value that the model must allow. */
export function gate(
  needs: Switch,
  rule: ListRule = free,
  isLeftOut?: (value: JsonObject) => boolean,
): GateRule {
  return { kind: "gate", needs, rule, isLeftOut };
}

/** Returns the rule of an object, or of a plain value in its place. */
export function either(object: ListRule, plain: ListRule): ListRule {
  return { kind: "either", object, plain };
}

/** Why a value is refused. The path is collected from its end. */
interface Fault {
  path: PropertyKey[];
  /** Undefined for a member that is not listed. */
  problem: string | undefined;
}

/**
 * Throws `unknown_param` for the first member of a request that its wire does not list and the model
 * does not allow by `member:NAME`, and `invalid_param` for a type or a value that is not listed, or
 * that the model would have to allow.
 */
export function requireListed(
  rule: MembersRule,
  request: JsonObject,
  allows: ReadonlySet<string>,
): void {
  for (const name of Object.keys(request)) {
    const member = rule.members.get(name);
    if (member === undefined) {
      if (!allows.has(`member:${name}`) || isRecased(name, rule)) throw unknownParam(name);
      continue;
    }
    const fault = findFault(member, request[name], allows);
    if (fault !== undefined) throw toError(fault, name);
  }
}

/** Some providers read names in any case, and take the member for the listed one. */
function isRecased(name: string, { members: listed }: MembersRule): boolean {
  const lower = name.toLowerCase();
  for (const one of listed.keys()) if (one.toLowerCase() === lower) return true;
  return false;
}

function toError({ path, problem }: Fault, name: string): GatewayError {
  const param = formatPath([name, ...path.reverse()]);
  return problem === undefined ? unknownParam(param) : invalidParam(param, problem);
}

function findFault(rule: ListRule, value: unknown, allows: ReadonlySet<string>): Fault | undefined {
  if (value === null || value === undefined) return undefined;
  switch (rule.kind) {
    case "free":
      return undefined;
    case "members":
      return faultInMembers(rule, value, allows);
    case "list":
      return faultInList(rule.item, value, allows);
    case "types":
      return faultInTypes(rule, value, allows);
    case "values":
      return faultOfValue(rule, value, allows);
    case "either":
      return findFault(isJsonObject(value) ? rule.object : rule.plain, value, allows);
    case "gate":
      if (allows.has(rule.needs) || (isJsonObject(value) && rule.isLeftOut?.(value) === true)) {
        return findFault(rule.rule, value, allows);
      }
      return notAllowed(rule.needs);
  }
}

function faultInMembers(
  { members: listed }: MembersRule,
  value: unknown,
  allows: ReadonlySet<string>,
): Fault | undefined {
  if (!isJsonObject(value)) return Array.isArray(value) ? notObject() : undefined;
  for (const name in value) {
    const member = listed.get(name);
    if (member === undefined) return { path: [name], problem: undefined };
    if (member === free) continue;
    const fault = findFault(member, value[name], allows);
    if (fault === undefined) continue;
    fault.path.push(name);
    return fault;
  }
  return undefined;
}

function faultInList(
  item: ListRule,
  value: unknown,
  allows: ReadonlySet<string>,
): Fault | undefined {
  if (!Array.isArray(value)) {
    if (isJsonObject(value)) return { path: [], problem: "must be an array" };
    return item.kind === "values" ? findFault(item, value, allows) : undefined;
  }
  for (let index = 0; index < value.length; index += 1) {
    const fault = findFault(item, value[index], allows);
    if (fault === undefined) continue;
    fault.path.push(index);
    return fault;
  }
  return undefined;
}

const date = /_20\d\d_?\d\d_?\d\d$/;

function faultInTypes(
  { types: listed, untyped }: TypesRule,
  value: unknown,
  allows: ReadonlySet<string>,
): Fault | undefined {
  if (!isJsonObject(value)) return Array.isArray(value) ? notObject() : undefined;
  const type = value.type ?? untyped;
  const name = typeof type === "string" ? type : "";
  const rule = listed.get(name) ?? listed.get(name.replace(date, ""));
  if (rule === undefined) return { path: ["type"], problem: "is not a type of this route" };
  const fault = findFault(rule, value, allows);
  if (fault !== undefined && fault.path.length === 0) fault.path.push("type");
  return fault;
}

function faultOfValue(
  { values: known, others }: ValuesRule,
  value: unknown,
  allows: ReadonlySet<string>,
): Fault | undefined {
  const needs = known.has(value) ? known.get(value) : (others ?? "nothing");
  if (needs === undefined) return undefined;
  if (needs === "nothing") return { path: [], problem: "is not a value of this route" };
  return allows.has(needs) ? undefined : notAllowed(needs);
}

function notAllowed(needs: Switch): Fault {
  return { path: [], problem: `is not supported: the model does not allow ${needs}` };
}

function notObject(): Fault {
  return { path: [], problem: "must be an object" };
}
