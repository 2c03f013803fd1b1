import type { Release } from "./release.ts";

const logLines = 20;
const eventLines = 30;

interface Pod {
  metadata: { name: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

/** Returns the pods of a namespace, the last log lines of those that are not ready, and its events. */
export async function diagnose({ kubectl }: Pick<Release, "kubectl">): Promise<string> {
  const read = (args: readonly string[]) => kubectl(args).catch((error: Error) => error.message);
  const parts = [await read(["get", "pods", "--output", "wide"])];
  for (const { metadata, status } of await findPodsNotReady(kubectl)) {
    const logs = ["logs", metadata.name, "--all-containers", `--tail=${logLines}`];
    parts.push(`log of ${metadata.name}:\n${await read(logs)}`);
    if (status.containerStatuses?.some(({ restartCount }) => restartCount > 0)) {
      const previous = await read([...logs, "--previous"]);
      parts.push(`log of ${metadata.name} before its restart:\n${previous}`);
    }
  }
  const events = await read(["get", "events", "--sort-by=.metadata.creationTimestamp"]);
  parts.push(`events:\n${events.trim().split("\n").slice(-eventLines).join("\n")}`);
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}

async function findPodsNotReady(kubectl: Release["kubectl"]): Promise<Pod[]> {
  const json = await kubectl(["get", "pods", "--output", "json"]).catch(() => '{"items":[]}');
  const { items } = JSON.parse(json) as { items: Pod[] };
  return items.filter(
    ({ status: { phase, conditions = [] } }) =>
      phase !== "Succeeded" &&
      !conditions.some(({ type, status }) => type === "Ready" && status === "True"),
  );
}
