import { serviceNames } from "@tollgate/runtime/service";
import { expect, test } from "vitest";
import { environmentOf } from "./service-environment.ts";

const env = {
  PATH: "/bin",
  Path: "C:\\bin",
  DATABASE_URL: "postgresql://db",
  NATS_URL: "nats://nats",
  TOLLGATE_LOG: "info",
  NODE_COMPILE_CACHE: "/cache",
  OPENAI_API_KEY: "secret",
  TOLLGATE_SECRETS_KEY: "secret",
  TOLLGATE_CONTENT_KEY: "secret",
  TOLLGATE_OIDC_CLIENT_SECRET: "secret",
};

function receiversOf(variable: keyof typeof env): string[] {
  return serviceNames.filter((name) => environmentOf(name, env)[variable] === env[variable]);
}

test("only services that call providers receive variables that may hold a provider's key", () => {
  expect(receiversOf("OPENAI_API_KEY")).toEqual(["chat", "document", "image", "audio"]);
});

test("only services that call providers and billing receive the key of stored secrets", () => {
  const names = ["billing", "chat", "document", "image", "audio"];
  expect(receiversOf("TOLLGATE_SECRETS_KEY")).toEqual(names);
});

test("only billing receives the key of stored prompts and responses", () => {
  expect(receiversOf("TOLLGATE_CONTENT_KEY")).toEqual(["billing"]);
});

test("only the console receives the secret of the OpenID client", () => {
  expect(receiversOf("TOLLGATE_OIDC_CLIENT_SECRET")).toEqual(["console"]);
});

test("only services with tables receive the database's URL", () => {
  expect(receiversOf("DATABASE_URL")).toEqual(["ledger", "billing", "chat", "document", "edge"]);
});

test("every service receives the variables of the program", () => {
  for (const name of ["PATH", "Path", "NATS_URL", "TOLLGATE_LOG", "NODE_COMPILE_CACHE"] as const) {
    expect([name, receiversOf(name)]).toEqual([name, [...serviceNames]]);
  }
});
