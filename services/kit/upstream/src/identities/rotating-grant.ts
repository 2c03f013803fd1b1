import type { IdentityGrant, IdentityValues } from "@tollgate/catalog/identity";
import { IdentityFailure } from "@tollgate/catalog/identity";

/** Values are replaced this long before they expire, and after two thirds of a shorter life. */
const refreshBeforeMs = 300_000;
/** A request that is on its way must not arrive with expired values. */
const unusableBeforeMs = 10_000;
/** How long a token server may take in all. */
const timeoutMs = 10_000;
/** The pause after a refresh that has failed. */
const retryAfterMs = 15_000;
/** The same without values in use: requests wait for the next attempt, or fail. */
const retryWithoutValuesMs = 1_000;
/** A provider may refuse values for another reason than their age: new ones are tried this rarely. */
const replaceEveryMs = 30_000;

interface Held {
  values: IdentityValues;
  refreshAtMs: number;
  unusableAtMs: number;
}

export interface GrantRotation {
  /** Resolves with new values. Rejects with an IdentityFailure. */
  read(): Promise<IdentityGrant>;
  /** Called where a refresh fails while older values are still valid. */
  onLateRefresh(failure: IdentityFailure): void;
  nowMs(): number;
}

/**
 * The values of one identity. They are replaced while they are still valid, when a request needs them: an
 * identity that is not used costs nothing. Concurrent requests share one refresh.
 */
export class RotatingGrant {
  readonly #rotation: GrantRotation;
  #held: Held | undefined;
  /** What the provider may still repeat in the response to an earlier request. */
  #before: IdentityValues = {};
  #reading: Promise<IdentityValues> | undefined;
  #failure: IdentityFailure | undefined;
  #nextReadAtMs = Number.NEGATIVE_INFINITY;
  #nextReplacementAtMs = Number.NEGATIVE_INFINITY;

  constructor(rotation: GrantRotation) {
    this.#rotation = rotation;
  }

  /**
   * Returns valid values, as a promise only where they must be read first. Throws or rejects with an
   * IdentityFailure.
   */
  current(): IdentityValues | Promise<IdentityValues> {
    const nowMs = this.#rotation.nowMs();
    const held = this.#held;
    if (held === undefined || nowMs >= held.unusableAtMs) {
      if (this.#reading !== undefined) return this.#reading;
      if (this.#failure !== undefined && nowMs < this.#nextReadAtMs) throw this.#failure;
      return this.#read();
    }
    if (nowMs >= held.refreshAtMs && nowMs >= this.#nextReadAtMs) {
      // Its failure is reported, and the values that are held are used until they expire.
      this.#read().catch(() => {});
    }
    return held.values;
  }

  /**
   * Resolves with other values than those that the provider has refused; with undefined where there are
   * none.
   */
  async replace(refused: IdentityValues): Promise<IdentityValues | undefined> {
    const nowMs = this.#rotation.nowMs();
    const held = this.#held?.values;
    if (held !== undefined && !isSame(held, refused)) return held;
    if (this.#reading === undefined) {
      if (nowMs < this.#nextReplacementAtMs) return undefined;
      this.#nextReplacementAtMs = nowMs + replaceEveryMs;
    }
    const values = await this.#read().catch(() => refused);
    return isSame(values, refused) ? undefined : values;
  }

  /** Returns the values that a provider's text may have. */
  recent(): readonly string[] {
    return [...Object.values(this.#held?.values ?? {}), ...Object.values(this.#before)];
  }

  #read(): Promise<IdentityValues> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<IdentityValues> {
    const { nowMs, read, onLateRefresh } = this.#rotation;
    try {
      return this.#hold(await withinTime(read()));
    } catch (error) {
      const failure = error instanceof IdentityFailure ? error : unexpected(error);
      const isHeld = this.#held !== undefined && nowMs() < this.#held.unusableAtMs;
      this.#nextReadAtMs = nowMs() + (isHeld ? retryAfterMs : retryWithoutValuesMs);
      this.#failure = failure;
      if (isHeld) onLateRefresh(failure);
      throw failure;
    }
  }

  #hold({ values, expiresAtMs = Number.POSITIVE_INFINITY }: IdentityGrant): IdentityValues {
    const nowMs = this.#rotation.nowMs();
    const lifeMs = expiresAtMs - nowMs;
    if (!(lifeMs > 0)) {
      throw new IdentityFailure("the token server sends credentials that have expired", false);
    }
    if (this.#held !== undefined && !isSame(this.#held.values, values)) {
      this.#before = this.#held.values;
    }
    const refreshAtMs = expiresAtMs - Math.min(refreshBeforeMs, lifeMs / 3);
    const unusableAtMs = expiresAtMs - Math.min(unusableBeforeMs, lifeMs / 10);
    this.#held = { values, refreshAtMs, unusableAtMs };
    this.#failure = undefined;
    return values;
  }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new IdentityFailure("the token server takes too long", false)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Packages throw errors that are not documented, and that may contain a request with its token. */
function unexpected(error: unknown): IdentityFailure {
  const { name } = error instanceof Error ? error : { name: "error" };
  return new IdentityFailure(`no credentials could be read (${name})`, false);
}

function isSame(left: IdentityValues, right: IdentityValues): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
