import { expect, test } from "vitest";
import { isPublicAddress, isPublicUrl } from "./public-host.ts";

test.each([
  "https://example.com/a.png",
  "HTTP://Images.Example.CO.UK:8443/a?b",
  "https://8.8.8.8/a",
  "https://[2606:4700:4700::1111]/a",
  "https://example.com./a",
])("%s is public", (url) => {
  expect(isPublicUrl(url)).toBe(true);
});

test.each([
  "http://127.0.0.1/a",
  "http://2130706433/a",
  "http://0x7f.1/a",
  "http://0177.0.0.01/a",
  "http://１２７.0.0.1/a",
  "http:\\\\127.0.0.1\\a",
  "http://example.com@127.0.0.1/a",
  "http://10.1.2.3/a",
  "http://172.31.0.1/a",
  "http://192.168.0.1/a",
  "http://169.254.169.254/latest/meta-data",
  "http://100.100.100.200/a",
  "http://0/a",
  "http://255.255.255.255/a",
  "http://[::1]/a",
  "http://[::]/a",
  "http://[::ffff:10.0.0.1]/a",
  "http://[64:ff9b::a00:1]/a",
  "http://[fd00::1]/a",
  "http://[fe80::1]/a",
  "http://[2002:a00:1::]/a",
  "http://localhost/a",
  "http://LOCALHOST./a",
  "http://a.localhost/a",
  "http://metadata.google.internal/a",
  "http://printer.local/a",
  "http://ledger.tollgate.svc/a",
  "http://ledger.tollgate.svc.cluster.local/a",
  "http://ledger/a",
  "https://public.example\\@169.254.169.254/x",
  "https://user:secret@example.com/a",
  "https://exam\nple.com/a",
  " https://example.com/a",
  "gs://bucket/a",
  "//example.com/a",
  "not a url",
])("%s is not public", (url) => {
  expect(isPublicUrl(url)).toBe(false);
});

test("an address that is none is not public", () => {
  expect(isPublicAddress("example.com")).toBe(false);
});
