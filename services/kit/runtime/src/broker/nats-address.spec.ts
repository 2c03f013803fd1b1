import { StartError } from "@tollgate/core/errors";
import { expect, test } from "vitest";
import { natsAddress } from "./nats-address.ts";

test.each([
  ["nats://a:b@nats", { servers: ["nats:4222"], user: "a", pass: "b" }],
  ["nats://a:b%40c@10.0.0.1:5222", { servers: ["10.0.0.1:5222"], user: "a", pass: "b@c" }],
  ["tls://token@nats", { servers: ["nats:4222"], token: "token", tls: {} }],
  [
    "nats://a:b@one, nats://a:b@[::1]:1",
    { servers: ["one:4222", "[::1]:1"], user: "a", pass: "b" },
  ],
])("%s is an address", (text, options) => {
  expect(natsAddress(text)).toEqual(options);
});

test.each([
  ["nats://nats:4222", /no user and password/],
  ["nats://a:b@one,nats://a:c@two", /the same user and password/],
  ["nats:4222", /is not an address/],
  ["http://a:b@nats", /is not an address/],
])("%s is refused, and the error does not repeat it", (text, reason) => {
  expect(() => natsAddress(text)).toThrow(StartError);
  expect(() => natsAddress(text)).toThrow(reason);
  expect(() => natsAddress("nats://a:secret@one,x")).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("secret") }),
  );
});
