import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A private authority, for tests. */
export interface Authority {
  cert: string;
  private: string;
}

/** PEM texts. */
export interface Certificate {
  cert: string;
  key: string;
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

/** Creates a certificate for hosts or a client, by names or addresses, signed by an authority. */
export async function createCertificate(
  { cert, private: key }: Authority,
  ...names: [string, ...string[]]
): Promise<Certificate> {
  const altNames = names.map((name) =>
    isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name },
  );
  const signed = await generate([{ name: "commonName", value: names[0] }], {
    ...keys,
    ca: { cert, key },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      { name: "subjectAltName", altNames },
    ],
  });
  return { cert: signed.cert, key: signed.private };
}
