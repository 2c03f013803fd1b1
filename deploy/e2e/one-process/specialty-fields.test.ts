import { describe, expect, test } from "vitest";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";

const cases = specialtyRoutes.map((route) => [`${route.path} ${route.alias}`, route] as const);

const { stack, account } = await sharedStack({ creditUsd: 50 });

describe("the fields of the JSON routes other than chat", () => {
  function post(path: string, body: unknown, key: string = account.key) {
    return send(`${stack.url}${path}`, { key, body });
  }

  function calls(): number {
    return stack.simulator.calls.list().length;
  }

  describe.each(cases)("%s", (_, { path, body, fields, foreign }) => {
    const good = Object.entries(fields).flatMap(([name, values]) =>
      (values.good ?? []).map((value) => [name, JSON.stringify(value), value] as const),
    );
    const bad = Object.entries(fields).flatMap(([name, values]) =>
      (values.bad ?? []).map(
        ([value, param = name, code = "invalid_param"]) =>
          [name, JSON.stringify(value) ?? "missing", value, param, code] as const,
      ),
    );

    test.each(good)("accepts %s = %s", async (name, _text, value) => {
      const response = await post(path, { ...body, [name]: value });
      expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
      expect(response.headers.get("content-type")).toContain("application/json");
    });

    test.each(bad)("refuses %s = %s", async (name, _text, value, param, code) => {
      const before = calls();
      expectEnvelope(await post(path, { ...body, [name]: value }), 400, code, param);
      expect(calls()).toBe(before);
    });

    test.each(foreign)("refuses %s as an unknown field", async (name) => {
      const text = JSON.stringify(body).replace(/\}$/, `,${JSON.stringify(name)}:null}`);
      expectEnvelope(await post(path, text), 400, "unknown_param", name);
    });
  });
});
