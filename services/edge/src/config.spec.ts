import { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { readEdgeConfig } from "./config.ts";
import { createCors } from "./http/cors.ts";

const originsOf = (list?: string) =>
  readEdgeConfig({
    TOLLGATE_CATALOG: "catalog.yaml",
    DATABASE_URL: "postgres://localhost/x",
    TOLLGATE_CORS_ORIGINS: list,
  }).corsOrigins;

test("no web page may call the gateway unless its origin is set", () => {
  for (const unset of [undefined, ""]) expect(createCors(originsOf(unset))).toBeUndefined();
});

test("origins are a list or a star", () => {
  expect(originsOf("*")).toBe("*");
  expect(originsOf("https://a.example.com,http://localhost:3000")).toEqual([
    "https://a.example.com",
    "http://localhost:3000",
  ]);
});

test.each([
  "example.com",
  "https://a.example.com/",
  "https://a.example.com:443",
  "*,https://b.c",
  "ftp://x",
])("%s is not a list of origins", (list) => {
  expect(() => originsOf(list)).toThrow(StartError);
  expect(() => originsOf(list)).toThrow(/^TOLLGATE_CORS_ORIGINS: must be/);
});
