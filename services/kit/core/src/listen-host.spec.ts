import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import type { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { bracketed, listenAddress, listenHost } from "./listen-host.ts";

const v4 = { family: "IPv4", address: "127.0.0.1" } as const;
const v6 = { family: "IPv6", address: "::1" } as const;
const interfacesWith = (...found: object[]) =>
  ({ lo: found }) as ReturnType<typeof networkInterfaces>;

describe("the host `*`", () => {
  test.each([
    ["both families", [v4, v6], "::"],
    ["IPv6 alone", [v6], "::"],
    ["IPv4 alone", [v4], "0.0.0.0"],
  ])("with %s", (_, found, expected) => {
    expect(listenHost("*", interfacesWith(...found))).toBe(expected);
  });

  test.runIf(listenHost("*") === "::")("takes connections of both families", async () => {
    const server = createServer((socket) => socket.end()).listen(0, listenHost("*"));
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const host of ["127.0.0.1", "::1"]) {
      const socket = connect(port, host).resume();
      await once(socket, "close");
      expect(socket.errored).toBeNull();
    }
    server.close();
  });

  test("is expanded before a port, for gRPC", () => {
    const host = listenHost("*");
    expect(listenAddress("*:9090")).toBe(`${bracketed(host)}:9090`);
    expect(listenAddress("[::1]:9090")).toBe("[::1]:9090");
    expect(listenAddress("unix:/run/*:1")).toBe("unix:/run/*:1");
  });
});

test("any other host stays, without its brackets", () => {
  expect(["[::1]", "::1", "127.0.0.1", "edge"].map((host) => listenHost(host))).toEqual([
    ...["::1", "::1", "127.0.0.1", "edge"],
  ]);
});
