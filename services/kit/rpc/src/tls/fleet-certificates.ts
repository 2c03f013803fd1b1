import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { experimental } from "@grpc/grpc-js";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { type Repeating, repeat } from "@tollgate/core/repeat";

/** How often the files are read again. */
const defaultReloadMs = 10_000;

/** The files of a Secret of the type `kubernetes.io/tls`, with the authority that cert-manager adds. */
const fileNames = { certificate: "tls.crt", privateKey: "tls.key", caCertificate: "ca.crt" };

type Files = Record<keyof typeof fileNames, Buffer>;
type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * The certificate of a process, its key, and the authority of its fleet, from the files of a folder. They are
 * read again every ten seconds. New connections have the newest ones; connections that are open stay open.
 */
export class FleetCertificates implements experimental.CertificateProvider {
  readonly #folder: string;
  readonly #log: Log;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  readonly #reloads: Repeating;
  #files: Files;
  #problem: string | undefined;

  /** Reads the files. Throws a StartError where they cannot be used. */
  constructor(folder: string, log: Log, reloadMs = defaultReloadMs) {
    this.#folder = folder;
    this.#log = log;
    try {
      this.#files = readFiles(folder);
    } catch (error) {
      throw new StartError(`TOLLGATE_TLS_DIR: cannot be used: ${(error as Error).message}`);
    }
    this.#reloads = repeat(() => this.#reload(), { everyMs: reloadMs });
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    // A server of grpc-js would miss what it is given before this call returns.
    queueMicrotask(() => listener(this.#files));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    queueMicrotask(() => listener(this.#files));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  /** Stops reading the files. */
  close(): void {
    void this.#reloads.stop();
  }

  /** Keeps the files in use where new ones cannot be used: they may be about to be replaced. */
  #reload(): void {
    try {
      const files = readFiles(this.#folder);
      this.#problem = undefined;
      if (isSame(files, this.#files)) return;
      this.#files = files;
      for (const listener of this.#caListeners) listener(files);
      for (const listener of this.#identityListeners) listener(files);
      const { validTo, fingerprint256 } = new X509Certificate(files.certificate);
      this.#log.info(
        { validTo, fingerprint256 },
        "the certificates between services were replaced",
      );
    } catch (error) {
      const { message: reason } = error as Error;
      if (reason !== this.#problem) {
        this.#log.warn({ reason }, "new certificates between services cannot be used");
      }
      this.#problem = reason;
    }
  }
}

/** Reads the files. Throws where they cannot be used, or where key and certificate do not belong together. */
function readFiles(folder: string): Files {
  const read = (name: string) => readFileSync(join(folder, name));
  const files = {
    certificate: read(fileNames.certificate),
    privateKey: read(fileNames.privateKey),
    caCertificate: read(fileNames.caCertificate),
  };
  const { certificate: cert, privateKey: key, caCertificate: ca } = files;
  // OpenSSL says what is wrong, and nothing of the contents.
  createSecureContext({ cert, key, ca });
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`${fileNames.privateKey} is not the key of ${fileNames.certificate}`);
  }
  return files;
}

function isSame(left: Files, right: Files): boolean {
  const names = Object.keys(fileNames) as (keyof Files)[];
  return names.every((name) => left[name].equals(right[name]));
}
