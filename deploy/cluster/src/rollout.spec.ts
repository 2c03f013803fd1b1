import { expect, test } from "vitest";
import { namesOf, unsettled, type Workloads } from "./rollout.ts";

const labels = { "app.kubernetes.io/component": "chat" };
const owner = (replicas: number, kind = "Deployment") => ({
  kind,
  metadata: { name: "tollgate-chat", labels },
  spec: { replicas },
  status: {},
});
const pod = (status = "True", more = {}) => ({
  kind: "Pod",
  metadata: { name: "tollgate-chat-1", labels, ...more },
  spec: {},
  status: { phase: "Running", conditions: [{ type: "Ready", status }] },
});
const terminating = pod("True", { deletionTimestamp: "2026-01-01T00:00:00Z" });
const evicted = { ...pod(), status: { phase: "Failed" } };

test("a service is settled with exactly as many ready pods as it should have", () => {
  const find = (...items: Workloads["items"]) => unsettled({ items }, ["chat"]);
  expect(find(owner(2), pod(), pod())).toEqual([]);
  expect(find(owner(2), pod(), pod(), evicted)).toEqual([]);
  expect(find(owner(2), pod())).toEqual(["chat has 1 pods, 1 of them ready, and not 2"]);
  expect(find(owner(1), pod(), pod())).toEqual(["chat has 2 pods, 2 of them ready, and not 1"]);
  expect(find(owner(2), pod(), pod("False"))).toHaveLength(1);
  expect(find(owner(1), pod(), terminating)).toHaveLength(1);
  expect(find(owner(1), terminating)).toHaveLength(1);
  expect(find()).toEqual(["chat does not exist"]);
});

test("the status of a rollout is read of Deployments and StatefulSets", () => {
  const items = [owner(1), owner(1, "StatefulSet"), pod()];
  expect(namesOf({ items })).toEqual(["deployment/tollgate-chat", "statefulset/tollgate-chat"]);
});
