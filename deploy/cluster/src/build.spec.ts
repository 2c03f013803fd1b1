import { expect, test } from "vitest";
import { kindOf, loadCommand } from "./build.ts";

const configWith = (provider: string) =>
  JSON.stringify({ contexts: [{ context: { extensions: [{ extension: { provider } }] } }] });

test("an image is loaded into the kind cluster or the minikube profile of the context", () => {
  const commandFor = (context: string, config = "{}") =>
    loadCommand(kindOf(context, config), context, "tollgate:test").join(" ");
  expect(commandFor("kind-blue")).toBe("kind load docker-image tollgate:test --name blue");
  expect(commandFor("docker-desktop")).toBe("");
  expect(commandFor("green", configWith("minikube.sigs.k8s.io"))).toBe(
    "minikube --profile green image load tollgate:test",
  );
});

test("other clusters pull their images from a registry", () => {
  expect(() => kindOf("production", configWith("another"))).toThrow(
    "push the images to a registry",
  );
});
