import { routes } from "@tollgate/edge/routes";
import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const form = { "content-type": "multipart/form-data; boundary=x" };

const { stack, account } = await sharedStack({ creditUsd: 1 });
const channel = { account: account.accountId, channel: "settlement" };
const partner = (await stack.operator.createKey(channel)).key;

describe("an unknown query parameter", () => {
  test.each(
    routes
      .filter(({ query }) => query !== undefined)
      .map(({ method, path, ...rules }) => [method, path, rules] as const),
  )("is refused by %s %s", async (method, path, { auth, operation: { body }, errorForm }) => {
    const url = `${stack.url}${path.replace(/\{\w+\}/, "x")}?foo=1&model=`;
    const response = await send(url, {
      method,
      key: auth === "settlement key" ? partner : account.key,
      ...(method === "POST" ? { body: body?.kind === "form" ? "--x--" : {} } : {}),
      ...(body?.kind === "form" ? { headers: form } : {}),
    });
    expectRefusal(response, errorForm, "unknown_param", "foo");
  });

  test.each(
    routes.flatMap(({ method, path, query = [], errorForm }) =>
      query.map(({ name }) => [name, method, path, errorForm] as const),
    ),
  )("and a repeated %s of %s %s are refused by name", async (name, method, path, errorForm) => {
    const url = `${stack.url}${path.replace(/\{\w+\}/, "x")}?${name}=1`;
    const request = { method, key: account.key, ...(method === "POST" ? { body: {} } : {}) };
    const repeated = await send(`${url}&${name}=2`, request);
    expectRefusal(repeated, errorForm, "invalid_param", name);
    expectRefusal(await send(`${url}&foo=1`, request), errorForm, "unknown_param", "foo");
  });

  test("of a deletion deletes nothing", async () => {
    const session_id = crypto.randomUUID();
    const url = `${stack.url}/v1/conversations`;
    const turn = chatBody({ session_id });
    await send(`${stack.url}/v1/chat/completions`, { key: account.key, body: turn });
    const deletion = { method: "DELETE", key: account.key };
    expectEnvelope(await send(`${url}?id=${session_id}`, deletion), 400, "unknown_param", "id");
    expect((await send(`${url}/${session_id}`, { key: account.key })).status).toBe(200);
  });

  test("is refused after the key is checked, and ignored by the health route", async () => {
    const unknown = { method: "DELETE", key: "sk-tollgate-unknown" };
    const refused = await send(`${stack.url}/v1/conversations?id=1`, unknown);
    expectEnvelope(refused, 401, "invalid_api_key");
    expect((await send(`${stack.url}/v1/health?foo=1`)).status).toBe(200);
    const invalid = await send(`${stack.url}/v1/models?foo=1`, { key: "sk-tollgate-unknown" });
    expectEnvelope(invalid, 401, "invalid_api_key");
  });
});

/** The error has the form of the route. A form of another API has no `param`: the message names it. */
function expectRefusal(
  response: HttpResponse,
  form: object | undefined,
  code: string,
  param: string,
): void {
  if (form === undefined) {
    expectEnvelope(response, 400, code, param);
    return;
  }
  expect([response.status, response.body]).toMatchObject([
    400,
    { error: { code, message: expect.stringContaining(param) }, request_id: expect.any(String) },
  ]);
}
