import { randomUUID } from "node:crypto";

/** How a token server fails. `foreign`: it responds with credentials that no provider accepts. */
export type TokenFault =
  | "refused"
  | "unavailable"
  | "slow"
  | "silent"
  | "malformed"
  | "expired"
  | "foreign";

/** An access key as AWS gives it for a time. */
export interface TemporaryKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAtMs: number;
}

/**
 * The credentials that the token servers of the simulator have given, which its providers check. A test sets
 * how they fail, and how long what they give is valid.
 */
export class IssuedCredentials {
  /** How the token servers fail; undefined for not at all. */
  fault: TokenFault | undefined;
  /** How long credentials are valid. */
  lifeMs = 3_600_000;
  /** How many requests the token servers had. */
  requests = 0;
  readonly #nowMs: () => number;
  readonly #keys = new Map<string, TemporaryKey>();
  /** By token, until when it is valid. */
  readonly #tokens = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Creates an access key of AWS. */
  createKey(): TemporaryKey {
    const id = randomUUID().replaceAll("-", "").toUpperCase();
    const key = {
      accessKeyId: `ASIA${id.slice(0, 16)}`,
      secretAccessKey: `secret-${randomUUID()}`,
      sessionToken: `session-${randomUUID()}`,
      expiresAtMs: this.#expiresAtMs(),
    };
    if (this.fault !== "foreign") this.#keys.set(key.accessKeyId, key);
    return key;
  }

  /** Adds an access key that another token server has created. Returns until when it is valid. */
  addKey(key: Omit<TemporaryKey, "expiresAtMs">): number {
    const expiresAtMs = this.#expiresAtMs();
    this.#keys.set(key.accessKeyId, { ...key, expiresAtMs });
    return expiresAtMs;
  }

  /** Creates an access token. */
  createToken(): { token: string; seconds: number } {
    const token = `token-${randomUUID()}`;
    if (this.fault !== "foreign") this.#tokens.set(token, this.#expiresAtMs());
    return { token, seconds: this.fault === "expired" ? 0 : Math.ceil(this.lifeMs / 1_000) };
  }

  /** Returns the access key of an id that is valid now; undefined for none. */
  keyOf(accessKeyId: string): TemporaryKey | undefined {
    const key = this.#keys.get(accessKeyId);
    return key !== undefined && this.#nowMs() < key.expiresAtMs ? key : undefined;
  }

  /** Whether an access key was given, whether or not it is still valid. */
  knows(accessKeyId: string): boolean {
    return this.#keys.has(accessKeyId);
  }

  /** Whether a header authorizes a request: `Bearer` with a token that is valid now. */
  accepts(authorization: string): boolean {
    const [, token = ""] = /^Bearer (.+)$/.exec(authorization) ?? [];
    const expiresAtMs = this.#tokens.get(token);
    return expiresAtMs !== undefined && this.#nowMs() < expiresAtMs;
  }

  /** Revokes what was given. */
  revoke(): void {
    this.#keys.clear();
    this.#tokens.clear();
  }

  #expiresAtMs(): number {
    return this.#nowMs() + (this.fault === "expired" ? -1_000 : this.lifeMs);
  }
}
