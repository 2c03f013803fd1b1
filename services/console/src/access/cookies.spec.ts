import { expect, test } from "vitest";
import { createCookie } from "./cookies.ts";

test("a cookie over https has the __Host- prefix, which browsers take only with Secure and Path=/", () => {
  const cookie = createCookie("tollgate-session", true);
  expect(cookie.write("x", 60)).toBe(
    "__Host-tollgate-session=x; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure",
  );
  const cookies = "a=b; tollgate-session=forged; __Host-tollgate-session=x";
  expect(cookie.read(new Headers({ cookie: cookies }))).toBe("x");
});

test("a cookie over http has a plain name, and is found among others", () => {
  const cookie = createCookie("tollgate-session", false);
  expect(cookie.clear()).toBe("tollgate-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  const read = (text: string) => cookie.read(new Headers({ cookie: text }));
  expect(read("x-tollgate-session=1;tollgate-session=2")).toBe("2");
  expect(read("tollgate-session=")).toBeUndefined();
  expect(read("")).toBeUndefined();
});
