/** The values of the stored secrets, as they are now. They change while the process runs. */
export interface SecretValues {
  /** Returns the value of a secret; undefined where it has none. Call it for each request. */
  current(name: string): string | undefined;
  /** Returns why a secret has no value, as a sentence; undefined where it has one. */
  problemOf(name: string): string | undefined;
  /**
   * Returns that value, and the one before it where it changed lately: a provider may still repeat it in
   * the response to an earlier request.
   */
  recent(name: string): readonly string[];
}

/** Values for providers that have none. */
export const noSecrets: SecretValues = {
  current: () => undefined,
  problemOf: (name) => `The secret ${name} has no value.`,
  recent: () => [],
};
