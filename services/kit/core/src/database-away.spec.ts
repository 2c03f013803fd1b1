import { expect, test } from "vitest";
import { isDatabaseAway } from "./database-away.ts";

const ofDriver = (cause: object) => ({ code: "P2010", meta: { driverAdapterError: { cause } } });
const failure = (message: string, members: object = {}) =>
  Object.assign(new Error(message), members);

test.each([
  ["a refused connection", failure("connect", { code: "ECONNREFUSED" })],
  ["a name without an address", failure("getaddrinfo", { code: "ENOTFOUND" })],
  ["a name server that is away", failure("getaddrinfo", { code: "EAI_AGAIN" })],
  ["a connection that broke", failure("Connection terminated unexpectedly")],
  ["a server that stops", failure("terminating connection", { code: "57P01" })],
  ["a model of Prisma", failure("Can't reach database server", { code: "P1001" })],
  [
    "a raw query of Prisma",
    failure("Raw query failed", ofDriver({ kind: "DatabaseNotReachable" })),
  ],
  ["a stop, by Prisma", failure("Raw query failed", ofDriver({ originalCode: "57P01" }))],
  ["all addresses of a name", new AggregateError([failure("", { code: "ECONNREFUSED" })])],
])("a database is away: %s", (_, error) => {
  expect(isDatabaseAway(error)).toBe(true);
});

test.each([
  ["a value that violates a constraint", failure("duplicate key", { code: "23505" })],
  ["a raw query that is wrong", failure("Raw query failed", ofDriver({ originalCode: "42601" }))],
  ["a bug", new TypeError("undefined is not a function")],
  ["no error", "Connection terminated"],
])("a database is not away: %s", (_, error) => {
  expect(isDatabaseAway(error)).toBe(false);
});
