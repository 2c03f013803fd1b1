import { type Environment, readSettings } from "@tollgate/core/config";
import { StartError } from "@tollgate/core/errors";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { z } from "zod";
import type { RoleMapping } from "./role-of-claims.ts";

/** The OpenID provider by which operators sign in. */
export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string | undefined;
  /** For the page: "Sign in with …". */
  name: string;
  scopes: string;
  /** The claim whose values are mapped to roles. */
  roleClaim: string;
  roles: readonly RoleMapping[];
}

/**
 * Reads the settings of the OpenID provider. Undefined where there is none. Throws a StartError that
 * names an invalid one.
 */
export function readOidcSettings(
  env: Environment,
  consoleUrl: string | undefined,
): OidcSettings | undefined {
  const settings = readSettings(schema, env);
  const { TOLLGATE_OIDC_ISSUER: issuer, TOLLGATE_OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw missing("TOLLGATE_OIDC_CLIENT_ID");
  if (consoleUrl === undefined) throw missing("TOLLGATE_CONSOLE_URL");
  const roles = settings.TOLLGATE_OIDC_ROLES;
  if (roles === undefined) throw missing("TOLLGATE_OIDC_ROLES");
  const url = new URL(issuer);
  return {
    issuer: url,
    clientId,
    clientSecret: settings.TOLLGATE_OIDC_CLIENT_SECRET,
    name: settings.TOLLGATE_OIDC_NAME ?? url.hostname,
    scopes: settings.TOLLGATE_OIDC_SCOPES,
    roleClaim: settings.TOLLGATE_OIDC_ROLE_CLAIM,
    roles,
  };
}

function missing(variable: string): StartError {
  return new StartError(`${variable}: is not set, but TOLLGATE_OIDC_ISSUER is`);
}

/** Returns whether a text is the URL of an issuer: by https, except on this machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLocal(hostname));
}

/** Returns whether a host is this machine. */
export function isLocal(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

const roleNames: Readonly<Record<string, OperatorRole>> = {
  viewer: OperatorRole.VIEWER,
  operator: OperatorRole.OPERATOR,
  owner: OperatorRole.OWNER,
};

const memberRoleNames: Readonly<Record<string, MemberRole>> = {
  developer: MemberRole.DEVELOPER,
  billing: MemberRole.BILLING,
  admin: MemberRole.ADMIN,
};

const rolesProblem =
  "must be a list such as admins=owner,staff=viewer,@acme.com=developer:ACCOUNT, with a value of the " +
  "claim, a host of addresses or * before each role";

/** Parses `value=role,value=customer:account`. Undefined where it is not valid. */
function parseRoles(text: string): RoleMapping[] | undefined {
  const mappings = text.split(",").map(parseRole);
  return mappings.every((one) => one !== undefined) ? mappings : undefined;
}

function parseRole(entry: string): RoleMapping | undefined {
  const [, value = "", name = "", account] =
    /^\s*([^=]+?)\s*=\s*(\w+)(?::(.+?))?\s*$/.exec(entry) ?? [];
  if (account !== undefined) return value === "*" ? undefined : ofAccount(value, name, account);
  const role = Object.hasOwn(roleNames, name) ? roleNames[name] : undefined;
  return role === undefined ? undefined : { value, role, account: "" };
}

function ofAccount(value: string, name: string, account: string): RoleMapping | undefined {
  const customer = { value, role: OperatorRole.CUSTOMER, account };
  if (name === "customer") return customer;
  const memberRole = Object.hasOwn(memberRoleNames, name) ? memberRoleNames[name] : undefined;
  return memberRole === undefined ? undefined : { ...customer, memberRole };
}

const schema = z.object({
  TOLLGATE_OIDC_ISSUER: z
    .string()
    .refine(isIssuer, "must be an https: URL, such as https://accounts.example.com")
    .optional(),
  TOLLGATE_OIDC_CLIENT_ID: z.string().optional(),
  TOLLGATE_OIDC_CLIENT_SECRET: z.string().optional(),
  TOLLGATE_OIDC_NAME: z.string().max(64).optional(),
  TOLLGATE_OIDC_SCOPES: z.string().default("openid email profile"),
  TOLLGATE_OIDC_ROLE_CLAIM: z.string().default("groups"),
  TOLLGATE_OIDC_ROLES: z
    .string()
    .transform((text, context) => {
      const roles = parseRoles(text);
      if (roles !== undefined) return roles;
      context.addIssue({ code: "custom", message: rolesProblem });
      return z.NEVER;
    })
    .optional(),
});
