import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";
import { catalog, merged, valuesOf } from "./values.ts";

test("the pull secret and the ingress are in the values only when they are named", () => {
  const plain = valuesOf(parseOptions([], []), "a.test");
  expect(plain).toMatchObject({ image: { pullSecrets: [] }, networkPolicy: { ingressFrom: [] } });
  expect(plain).not.toHaveProperty("ingress");
  const ingress = ["--ingress-class", "nginx", "--ingress-url", "http://10.0.0.1"];
  expect(valuesOf(parseOptions(["--pull-secret", "hub", ...ingress], []), "a.test")).toMatchObject({
    image: { pullSecrets: [{ name: "hub" }] },
    ingress: { enabled: true, className: "nginx", host: "a.test" },
  });
});

test("a catalog in the database is not in the values", () => {
  const values = valuesOf(parseOptions(["--catalog", "database"], []), "a.test");
  expect(values.catalog).toEqual({ source: "database" });
  expect(valuesOf(parseOptions([], []), "a.test").catalog).toEqual({ content: catalog });
});

test("further values are merged into objects, and replace anything else", () => {
  const values = { services: { defaults: { replicas: 2, env: {} } }, list: [1] };
  const more = { services: { defaults: { replicas: 3 } }, list: [2] };
  expect(merged(values, more)).toEqual({
    services: { defaults: { replicas: 3, env: {} } },
    list: [2],
  });
});
