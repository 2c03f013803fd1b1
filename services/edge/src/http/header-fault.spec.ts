import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { headerFault } from "./header-fault.ts";

const faultOf = (rawHeaders: string[], host: string | undefined = "x", httpVersion = "1.1") =>
  headerFault({ rawHeaders, headers: { host }, httpVersion } as IncomingMessage);

test.each([
  ["Host", ["Host", "x", "Accept", "*/*", "hOST", "x"]],
  ["Authorization", ["Authorization", "Bearer a", "Host", "x", "authorization", "Bearer a"]],
])("two %s headers are a fault, in any case of their names", (param, rawHeaders) => {
  expect(faultOf(rawHeaders)).toMatchObject({ code: "invalid_param", param });
});

test("other headers may be sent twice", () => {
  expect(faultOf(["Host", "x", "Accept", "a", "Accept", "b", "Xost", "y"])).toBeUndefined();
});

test("only HTTP/1.1 requires a host", () => {
  const withoutHost = { rawHeaders: [] as string[], headers: {} };
  const of = (httpVersion: string) =>
    headerFault({ ...withoutHost, httpVersion } as unknown as IncomingMessage);
  expect(of("1.1")).toMatchObject({ code: "invalid_param", param: "Host" });
  expect(of("1.0")).toBeUndefined();
});
