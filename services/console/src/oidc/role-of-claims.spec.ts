import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { expect, test } from "vitest";
import { rolesOfClaims, verifiedEmailOf } from "./role-of-claims.ts";
import { readOidcSettings } from "./settings.ts";

const env = {
  TOLLGATE_OIDC_ISSUER: "https://accounts.example.com",
  TOLLGATE_OIDC_CLIENT_ID: "console",
};
const url = "https://console.example.com";

function rolesOf(text: string) {
  return readOidcSettings({ ...env, TOLLGATE_OIDC_ROLES: text }, url)?.roles ?? [];
}

const roleOfClaims = (claim: unknown, roles: ReturnType<typeof rolesOf>) =>
  rolesOfClaims(claim, "", roles).mapping;

test("an operator has the highest role that a value of the claim gives, or none", () => {
  const roles = rolesOf("staff=viewer, admins = owner,acme=customer:acme corp");
  expect(roleOfClaims(["staff", "admins"], roles)?.role).toBe(OperatorRole.OWNER);
  expect(roleOfClaims("staff", roles)?.role).toBe(OperatorRole.VIEWER);
  expect(roleOfClaims(["acme"], roles)).toMatchObject({
    role: OperatorRole.CUSTOMER,
    account: "acme corp",
  });
  for (const none of [undefined, [], ["*"], "", { admins: true }]) {
    expect(roleOfClaims(none, roles)).toBeUndefined();
  }
  expect(roleOfClaims(undefined, rolesOf("*=viewer"))?.role).toBe(OperatorRole.VIEWER);
});

test("a value of the claim, or the host of a verified address, makes a member", () => {
  const roles = rolesOf("@acme.com=developer:acme,payers=billing:acme corp,admins=viewer");
  const given = (claim: unknown, email: string) =>
    rolesOfClaims(claim, email, roles).memberships.map((one) => [one.account, one.memberRole]);
  expect(given(["payers"], "ada@acme.com")).toEqual([
    ["acme", MemberRole.DEVELOPER],
    ["acme corp", MemberRole.BILLING],
  ]);
  for (const email of ["", "ada@evil-acme.com", "ada@acme.com.evil.example", "acme.com"]) {
    expect(given(["@acme.com"], email)).toEqual([]);
  }
  expect(given(["admins"], "ada@acme.com")).toEqual([]);
  expect(verifiedEmailOf({ email: "Ada@Acme.com", email_verified: true })).toBe("ada@acme.com");
  for (const email_verified of [undefined, false, "true"]) {
    expect(verifiedEmailOf({ email: "ada@acme.com", email_verified })).toBe("");
  }
});

test("settings that are missing or not valid are refused by name", () => {
  expect(readOidcSettings({}, undefined)).toBeUndefined();
  for (const roles of [
    "admins",
    "admins=king",
    "a=customer",
    "*=customer:acme",
    "a=owner:acme",
    "*=admin:acme",
  ]) {
    expect(() => rolesOf(roles)).toThrow(/^TOLLGATE_OIDC_ROLES: must be a list/);
  }
  expect(() => readOidcSettings(env, url)).toThrow(/^TOLLGATE_OIDC_ROLES: is not set/);
  const set = { ...env, TOLLGATE_OIDC_ROLES: "*=viewer" };
  expect(() => readOidcSettings(set, undefined)).toThrow(/^TOLLGATE_CONSOLE_URL: is not set/);
  const http = { ...set, TOLLGATE_OIDC_ISSUER: "http://accounts.example.com" };
  expect(() => readOidcSettings(http, url)).toThrow(/^TOLLGATE_OIDC_ISSUER: must be an https: URL/);
});
