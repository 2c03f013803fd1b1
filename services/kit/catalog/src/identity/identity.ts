import type { Environment } from "@tollgate/core/config";
import type { ProxySettings } from "@tollgate/core/proxy-settings";

/** What an entry's `identity` sets, by member; empty for the identity of the process itself. */
export type IdentitySettings = Readonly<Record<string, string>>;

/** What authorizes requests for a time: a token, or the parts of an access key. All are secret. */
export type IdentityValues = Readonly<Record<string, string>>;

/** How the providers of a kind are called by an identity of the cloud, in place of an API key. */
export interface IdentitySource {
  /** The members that an entry's `identity` may have. */
  readonly settings: { readonly [Member in string]?: IdentitySetting };
  /** Whether a provider with neither a key nor `identity` is called by the identity of the process. */
  isDefault(env: Environment): boolean;
  /** Whether an address is the vendor's own, to which an operator may send an identity in a test. */
  isVendorAddress(url: string): boolean;
  /** Variables with its credentials, which a catalog must not name as an API key; undefined for none. */
  readonly variables?: { readonly owner: string; readonly pattern: RegExp };
  /**
   * Loads what gets the values, which is megabytes of packages. That resolves with new ones, and rejects
   * with an IdentityFailure.
   */
  load(): Promise<(request: IdentityRequest) => Promise<IdentityGrant>>;
}

/** A member of `identity`. */
export interface IdentitySetting {
  readonly pattern: RegExp;
  /** For errors: `must be …`. */
  readonly described: string;
  /** The other member without which it means nothing. */
  readonly needs?: string;
}

export interface IdentityRequest {
  readonly settings: IdentitySettings;
  readonly region: string | undefined;
  readonly env: Environment;
  /** The proxies of the provider. Metadata endpoints are called without one. */
  readonly proxies: ProxySettings;
}

export interface IdentityGrant {
  readonly values: IdentityValues;
  /** Undefined for values that do not expire. */
  readonly expiresAtMs: number | undefined;
}

/** Why there are no values: the cloud refuses the identity, or its token server has trouble. */
export class IdentityFailure extends Error {
  override readonly name = "IdentityFailure";
  /** Whether the same request would be refused again. */
  readonly isRefused: boolean;

  /** `message` has no credentials. Errors of packages are no cause: they may contain requests. */
  constructor(message: string, isRefused: boolean) {
    super(message);
    this.isRefused = isRefused;
  }
}
