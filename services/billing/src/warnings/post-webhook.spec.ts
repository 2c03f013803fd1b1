import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { checkWebhookUrl, lookUpPublic, postWebhook } from "./post-webhook.ts";

test("a webhook goes to public hosts by HTTPS alone", async () => {
  const refused = [
    "http://example.com/hook",
    "https://localhost/hook",
    "https://127.0.0.1/hook",
    "https://0x7f000001/hook",
    "https://10.1.2.3/hook",
    "https://169.254.169.254/latest",
    "https://[::1]/hook",
    "https://billing.svc/hook",
    "https://billing/hook",
    "https://user:password@example.com/hook",
    "ftp://example.com/hook",
    "example.com",
    "",
    `https://example.com/${"x".repeat(2_000)}`,
  ];
  for (const url of refused) {
    expect(() => checkWebhookUrl(url, false), url).toThrow(/public host/);
    const posted = postWebhook({ url, headers: {}, body: "{}" }, { allowsPrivate: false });
    await expect(posted.catch(String), url).resolves.toMatch(/public host/);
  }
  expect(() => checkWebhookUrl("https://hooks.example.com/a?b=c", false)).not.toThrow();
  expect(() => checkWebhookUrl("http://10.1.2.3:8080/hook", true)).not.toThrow();
});

test("a name that resolves to a private address is not connected to", async () => {
  for (const all of [true, false]) {
    const error = await new Promise((resolve) => {
      lookUpPublic("localhost", { all }, resolve);
    });
    expect(error).toMatchObject({ code: "not_public" });
  }
});

test("a redirect is not followed, and a status other than 2xx is an error", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/moved") response.writeHead(302, { location: "/target" }).end();
    else response.writeHead(request.url === "/hook" ? 204 : 500).end("secret");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (path: string) =>
    postWebhook({ url: `${origin}${path}`, headers: {}, body: "{}" }, { allowsPrivate: true });
  await post("/hook");
  await expect(post("/moved")).rejects.toMatchObject({ code: "302" });
  await expect(post("/broken")).rejects.toMatchObject({ code: "500" });
  server.close();
  await expect(post("/hook")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(asked).toEqual(["/hook", "/moved", "/broken"]);
});
