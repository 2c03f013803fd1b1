import type { Subject } from "../subjects/subject.ts";
import { expectedContent, type JsonTimings, openJsonLoad } from "./json-load.ts";
import { expectedChunks, openStreamLoad, type StreamTimings } from "./stream-load.ts";
import type { Workload } from "./workload.ts";

export interface Load {
  /**
   * Sends requests for so many seconds, or reads as many streams with each client: a stream takes a
   * second. Rejects at the first wrong response.
   */
  run(seconds: number): Promise<JsonTimings | StreamTimings>;
  close(): Promise<void>;
}

/** Opens a load whose responses must have the content that the provider sends at `providerUrl`. */
export async function openLoad(
  providerUrl: string,
  subject: Subject,
  workload: Workload,
): Promise<Load> {
  if (workload.kind === "json") {
    return openJsonLoad(subject, workload, await expectedContent(providerUrl, workload));
  }
  const expected = await expectedChunks(providerUrl, workload);
  const { run, close } = openStreamLoad(subject, workload, expected);
  return { run: (seconds) => run(Math.ceil(seconds)), close };
}
