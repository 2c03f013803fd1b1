/** One of several API keys of a provider. */
export interface ProviderKey {
  /** The name of its stored secret or of its variable, by which operators know it. */
  name: string;
  weight: number;
  secret?: string;
  apiKeyEnv?: string;
}
