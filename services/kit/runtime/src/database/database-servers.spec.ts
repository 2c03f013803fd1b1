import { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { DatabaseServers } from "./database-servers.ts";

test("each server of a URL is used once the one before it has failed", () => {
  const servers = new DatabaseServers(
    "postgresql://me:p@ss,word@a:1,[fd00::2]:2,c/db?sslmode=require",
  );
  const urlOf = (host: string) => `postgresql://me:p@ss,word@${host}/db?sslmode=require`;
  const used = ["a:1", "[fd00::2]:2", "c", "a:1"].map(urlOf);
  for (const url of used) {
    expect(servers.url()).toBe(url);
    servers.leave(url);
    // Others notice the same failure later.
    servers.leave(url);
  }
});

test.each([
  ["postgresql://a/db", false],
  ["postgresql://a/db?target_session_attrs=any", false],
  ["postgresql://a/db?target_session_attrs=read-write", true],
  ["postgresql://a/db?sslmode=require&target_session_attrs=primary", true],
  ["postgresql://a,b/db", true],
  ["postgresql:///db?host=/run/postgresql", false],
])("%s must take writes: %s", (url, expected) => {
  expect(new DatabaseServers(url).mustTakeWrites).toBe(expected);
});

test("a wish for another kind of server is refused", () => {
  const open = () => new DatabaseServers("postgresql://a:secret@a/db?target_session_attrs=standby");
  expect(open).toThrow(
    new StartError("DATABASE_URL: target_session_attrs must be any, read-write or primary"),
  );
});
