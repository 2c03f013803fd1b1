import { costOfPassing, isSetByGateway } from "@tollgate/catalog/passed-members";
import { expect, test } from "vitest";
import { switchedVendors, switchesOfVendor, switchLines } from "./vendor-switches.ts";

test.each(
  switchedVendors,
)("the switches of %s cost nothing but tokens, and are the client's", (name) => {
  const { passes = [], source = "" } = switchesOfVendor(name) ?? {};
  expect(passes.filter((one) => isSetByGateway(one) || costOfPassing(one) !== undefined)).toEqual(
    [],
  );
  expect(passes).toEqual([...new Set(passes)].sort());
  expect(URL.canParse(source)).toBe(true);
});

test("a vendor has the lines of an entry", () => {
  const groq = switchesOfVendor("groq");
  expect(groq && switchLines(groq)).toEqual([
    "    # Groq: members of chat requests that cost nothing but tokens.",
    "    # https://console.groq.com/docs/api-reference#chat-create",
    "    passes: [citation_options, disable_tool_validation, include_reasoning, reasoning_format]",
  ]);
  expect(switchesOfVendor("constructor")).toBeUndefined();
});
