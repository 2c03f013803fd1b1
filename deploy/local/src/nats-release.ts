import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { UnpackedNats } from "./unpacked-nats.ts";

const run = promisify(execFile);
const version = "2.10.29";
const downloads = "https://github.com/nats-io/nats-server/releases/download";
const downloadTimeoutMs = 120_000;

/** SHA-256 of the release archives, as pinned by the official NATS images. */
const releases: Readonly<Record<string, { system: string; sha256: string }>> = {
  "linux-x64": {
    system: "linux-amd64",
    sha256: "e314da74a83a1d3876db8814c27eb990fe729640fd6452025b441bcede8390da",
  },
  "linux-arm64": {
    system: "linux-arm64",
    sha256: "da4b27942ecfb4c5f0c54553d2e7f470ddda9d7581cfe8131b351a0e223ed401",
  },
};

/**
 * Downloads the official release and unpacks it below the scratch folder. Throws when no release is
 * pinned for this platform, when the download fails, and when the checksum differs.
 */
export async function unpackNatsRelease(
  scratch: string,
  get: typeof fetch = fetch,
): Promise<UnpackedNats> {
  const platform = `${process.platform}-${process.arch}`;
  const release = releases[platform];
  if (release === undefined) throw new Error(`no release is pinned for ${platform}`);
  const folder = `nats-server-v${version}-${release.system}`;
  const archive = join(scratch, "release.tar.gz");
  const bytes = await download(`${downloads}/v${version}/${folder}.tar.gz`, get);
  if (createHash("sha256").update(bytes).digest("hex") !== release.sha256) {
    throw new Error(`${folder}.tar.gz has the wrong checksum`);
  }
  await writeFile(archive, bytes);
  await run("tar", ["-xzf", archive, "-C", scratch]);
  return { file: join(scratch, folder, "nats-server"), version };
}

async function download(url: string, get: typeof fetch): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(downloadTimeoutMs);
  const response = await get(url, { signal }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause : error;
    throw new Error(`the download failed (${reason.message})`);
  });
  if (!response.ok) throw new Error(`the download failed (HTTP ${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}
