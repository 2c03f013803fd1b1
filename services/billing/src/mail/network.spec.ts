import { expect, test } from "vitest";
import { networkOf } from "./network.ts";

test("the network of an IPv6 address is its first 64 bits, in every spelling", () => {
  const network = "2001:db8:1:2::/64";
  for (const address of [
    "2001:db8:1:2::1",
    "2001:0DB8:0001:2:ffff:0:0:9",
    "2001:db8:1:2:3::%eth0",
  ]) {
    expect(networkOf(address)).toBe(network);
  }
  expect(networkOf("2001:db8:1:3::1")).not.toBe(network);
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
});

test("the network of an IPv4 address is the address, also where it is mapped", () => {
  expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("::ffff:203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("")).toBe("");
});
