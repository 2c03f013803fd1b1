/** One of several API keys of a provider. */
export interface ProviderKey {
  /** That of its stored secret, or of its variable: what operators see of it. */
  name: string;
  weight: number;
  secret?: string;
  apiKeyEnv?: string;
}
