import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { onTestFinished } from "vitest";

/** A private authority. */
export interface Authority {
  cert: string;
  private: string;
}

const keys = { keyType: "ec", algorithm: "sha256" } as const;

/** Creates a private authority. */
export function createAuthority(): Promise<Authority> {
  return generate([{ name: "commonName", value: "Test authority" }], {
    ...keys,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, digitalSignature: true },
    ],
  });
}

/** Creates a certificate for a host or a client, signed by an authority. */
export async function createCertificate({ cert, private: key }: Authority, name: string) {
  const signed = await generate([{ name: "commonName", value: name }], {
    ...keys,
    ca: { cert, key },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: name }] },
    ],
  });
  return { cert: signed.cert, key: signed.private };
}

/** Writes PEM texts to files of a folder that is removed after the test. Returns their paths. */
export async function writePems<Name extends string>(texts: Record<Name, string>) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-pem-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const paths = {} as Record<Name, string>;
  for (const name of Object.keys(texts) as Name[]) {
    paths[name] = join(folder, `${name}.pem`);
    await writeFile(paths[name], texts[name]);
  }
  return paths;
}
