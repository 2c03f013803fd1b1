import { startPeer } from "./peer-server.ts";
import { findPortkey } from "./portkey-package.ts";
import type { Subject, UnavailableSubject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";

const about = { name: "portkey", title: "Portkey" } as const;

/** Starts Portkey's gateway in one process, without API keys, holds and metering. */
export async function startPortkey(testbed: Testbed): Promise<Subject | UnavailableSubject> {
  let file: string;
  try {
    file = await findPortkey();
  } catch (error) {
    const { message } = error as Error;
    // The first line of npm's output is the reason; Node's message only names the command.
    const reason = message.split("\n").find((line) => line.startsWith("npm error")) ?? message;
    return { ...about, reason: `cannot be installed: ${reason}` };
  }
  const server = await startPeer(testbed, {
    ...about,
    command: process.execPath,
    args: (port) => [file, `--port=${port}`, "--headless"],
    readyPath: "/",
  });
  const headers = {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${testbed.provider.url}/v1`,
  };
  return { ...about, ...server, headers };
}
