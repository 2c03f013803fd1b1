import { expect, test } from "vitest";
import { helpOf, parseOptions } from "./options.ts";

const steps = ["upgrade", "scale"];

test("an image is a repository, which may have a port, and a tag", () => {
  const { image } = parseOptions(["--image", "registry.test:5000/tollgate:1.2"], steps);
  expect(image).toEqual({ repository: "registry.test:5000/tollgate", tag: "1.2" });
});

test.each([
  [["--image", "tollgate"], "--image must be REPOSITORY:TAG"],
  [["--catalog", "git"], "--catalog must be file or database, not git"],
  [["--upgrades", "0"], "--upgrades must be a whole number"],
  [["--ingress-class", "nginx"], "--ingress-class NAME and --ingress-url URL belong together"],
  [["--only", "upgrades"], "--only: there is no step upgrades, only upgrade, scale"],
  [["--wrong"], "--wrong"],
])("%j is refused by its name", (args, problem) => {
  expect(() => parseOptions(args, steps)).toThrow(problem);
});

test("the ingress has an http: URL, because its host has no certificate", () => {
  const parse = (url: string) =>
    parseOptions(["--ingress-class", "nginx", "--ingress-url", url], steps).ingress;
  expect(parse("http://10.0.0.1:30080/")).toEqual({
    className: "nginx",
    url: "http://10.0.0.1:30080",
  });
  expect(() => parse("https://10.0.0.1")).toThrow(/must be an http: URL.*certificate/);
  expect(() => parse("10.0.0.1:80")).toThrow("must be an http: URL");
});

test("the help names the steps", () => {
  expect(helpOf(steps)).toContain("Steps: upgrade, scale\n");
});
