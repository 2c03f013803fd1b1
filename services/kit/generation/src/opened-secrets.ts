import type { Log } from "@tollgate/core/log";
import { SealError, type SecretsKey } from "@tollgate/core/secrets-key";
import type { StoredSecret } from "@tollgate/proto/tollgate/v1/secret";
import type { SecretValues } from "@tollgate/upstream/secret-values";

/** How long a replaced value is still hidden in what providers say: longer than any request. */
const replacedMs = 60 * 60_000;

/** A value, or why there is none. */
type Opened = { value: string } | { problem: string };

/** The stored secrets, each opened when it is first needed. */
export class OpenedSecrets implements SecretValues {
  readonly #key: SecretsKey | undefined;
  readonly #log: Log;
  readonly #opened = new Map<string, Opened>();
  readonly #replaced = new Map<string, { value: string; at: number }>();
  #stored: ReadonlyMap<string, StoredSecret> = new Map();
  #used = new Set<string>();
  /** That of `replaceAll`. Empty before. */
  version = "";

  constructor(key: SecretsKey | undefined, log: Log) {
    this.#key = key;
    this.#log = log;
  }

  current(name: string): string | undefined {
    const opened = this.#open(name);
    if (!("value" in opened)) return undefined;
    this.#used.add(name);
    return opened.value;
  }

  problemOf(name: string): string | undefined {
    const opened = this.#open(name);
    return "value" in opened ? undefined : opened.problem;
  }

  recent(name: string): readonly string[] {
    const opened = this.#opened.get(name);
    const replaced = this.#replaced.get(name);
    const values = opened !== undefined && "value" in opened ? [opened.value] : [];
    return replaced === undefined ? values : [...values, replaced.value];
  }

  /** Returns the names of the secrets that were used since the previous call. */
  takeUsed(): string[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }

  /** Replaces all secrets. Returns the names of those that have changed. */
  replaceAll(version: string, secrets: readonly StoredSecret[]): string[] {
    const before = this.#stored;
    const after = new Map(secrets.map((secret) => [secret.name, secret]));
    this.version = version;
    this.#stored = after;
    const names = new Set([...before.keys(), ...after.keys()]);
    const changed = [...names].filter((name) => isChanged(before.get(name), after.get(name)));
    for (const name of changed) this.#forget(name);
    return changed;
  }

  /** Forgets the values that were replaced so long ago that no response can repeat them. */
  forgetReplaced(): void {
    const until = performance.now() - replacedMs;
    for (const [name, { at }] of this.#replaced) if (at < until) this.#replaced.delete(name);
  }

  #forget(name: string): void {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    if (opened === undefined || !("value" in opened)) return;
    this.#replaced.set(name, { value: opened.value, at: performance.now() });
  }

  #open(name: string): Opened {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const stored = this.#stored.get(name);
    // Not remembered: a draft of a catalog may name anything.
    if (stored === undefined) {
      return { problem: `The secret ${name} has no value: tollgate secret set ${name} sets it.` };
    }
    const opened = this.#unseal(stored);
    this.#opened.set(name, opened);
    return opened;
  }

  #unseal({ name, ...sealed }: StoredSecret): Opened {
    if (this.#key === undefined) {
      return { problem: `The secret ${name} cannot be read: TOLLGATE_SECRETS_KEY is not set.` };
    }
    try {
      return { value: this.#key.open(name, sealed) };
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.#log.error({ secret: name, reason: error.message }, "a stored secret cannot be read");
      return { problem: `The secret ${name} cannot be read: ${error.message}.` };
    }
  }
}

function isChanged(before: StoredSecret | undefined, after: StoredSecret | undefined): boolean {
  return before?.version !== after?.version;
}
