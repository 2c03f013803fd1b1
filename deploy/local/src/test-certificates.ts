import { isIP } from "node:net";
import { connect } from "node:tls";
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

/** Creates a private authority. Those that are trusted together need names of their own. */
export function createAuthority(name = "Test authority"): Promise<Authority> {
  return generate([{ name: "commonName", value: name }], {
    ...keys,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, digitalSignature: true },
    ],
  });
}

/** Creates a certificate for hosts or a client, by names or addresses, signed by an authority. */
export function createCertificate(
  authority: Authority,
  ...names: [string, ...string[]]
): Promise<Certificate> {
  return sign(authority, names, {});
}

/** Creates one that was valid yesterday. */
export function createExpiredCertificate(
  authority: Authority,
  ...names: [string, ...string[]]
): Promise<Certificate> {
  const dayMs = 86_400_000;
  const notAfterDate = new Date(Date.now() - dayMs);
  const notBeforeDate = new Date(notAfterDate.getTime() - dayMs);
  return sign(authority, names, { notBeforeDate, notAfterDate });
}

async function sign(
  { cert, private: key }: Authority,
  names: readonly [string, ...string[]],
  validity: { notBeforeDate?: Date; notAfterDate?: Date },
): Promise<Certificate> {
  const altNames = names.map((name) =>
    isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name },
  );
  const signed = await generate([{ name: "commonName", value: names[0] }], {
    ...{ ...keys, ...validity },
    ca: { cert, key },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      { name: "subjectAltName", altNames },
    ],
  });
  return { cert: signed.cert, key: signed.private };
}

/**
 * Resolves with the certificate that a server at `host:port` sends a caller with its own. Rejects where the
 * connection fails.
 */
export function servedCertificate(address: string, { cert, key }: Certificate): Promise<string> {
  const { hostname: host, port } = new URL(`tls://${address}`);
  const options = { host, port: Number(port), cert, key, ALPNProtocols: ["h2"] };
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw.toString("base64"));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

/** Returns a certificate as `servedCertificate` does. */
export function certificateBytes({ cert }: Certificate): string {
  return cert.replace(/-----[A-Z ]+-----|\s/g, "");
}
