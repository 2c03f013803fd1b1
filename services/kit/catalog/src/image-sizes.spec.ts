import { expect, test } from "vitest";
import { stringify } from "yaml";
import { testKinds } from "../test/kinds.ts";
import { describeSizes, modelForSize } from "./image-sizes.ts";
import { parseCatalog } from "./parse.ts";

function drawing(sizes?: object) {
  const entry = {
    ...{ alias: "draw", route_type: "images", pricing: { per: 1, price: "0.04" }, sizes },
    chain: [{ provider: "near", model: "draw-1" }],
  };
  const providers = { near: { base_url: "http://127.0.0.1:9/v1" } };
  const model = parseCatalog(stringify({ providers, models: [entry] }), testKinds).models.get(
    "draw",
  );
  return model ?? expect.unreachable();
}

test("a model without sizes is asked for none above 2048 x 2048", () => {
  const model = drawing();
  for (const size of [undefined, "1x1", "2048x2048"]) expect(modelForSize(model, size)).toBe(model);
  for (const size of ["2049x1", "1x2049", "99999x99999"]) {
    expect(modelForSize(model, size)).toBeUndefined();
  }
  expect(describeSizes(model)).toBe("at most 2048x2048");
});

test("a model with sizes is asked for these only", () => {
  const model = drawing(["512x512", "4096x4096"]);
  expect(modelForSize(model, "4096x4096")?.alias).toBe("draw");
  expect(modelForSize(model, "1024x1024")).toBeUndefined();
  expect(describeSizes(model)).toBe("one of 512x512, 4096x4096");
});

test("a size with a price costs that at every slot", () => {
  const model = drawing({ "512x512": "0.02", "1024x1024": "0.08" });
  const prices = (size?: string) =>
    modelForSize(model, size)?.chain.map(({ pricing }) => pricing.input.picoUsd);
  expect(prices("512x512")).toEqual([20_000_000_000n]);
  expect(prices("1024x1024")).toEqual([80_000_000_000n]);
  expect(prices()).toEqual([40_000_000_000n]);
});
