import { chatModel, slot } from "./entries.ts";

const pricing = { input: "1", cache_write_1h: "1", output: "4" };
const second = { ...slot("sim", "second"), pricing: { input: "1", output: "2" } };

/** Models whose providers are called by an identity, alone and before another slot. */
export function identityModels(): object[] {
  const nova = slot("bedrock_identity", "amazon.nova-pro-v1:0");
  const gemini = slot("vertex_identity", "gemini-2.5-flash");
  const claude = slot("vertex_identity", "claude-sonnet-4-5@20250929");
  const gpt = slot("azure_identity", "my-gpt");
  const model = (alias: string, chain: object[]) => chatModel(alias, chain, { pricing });
  return [
    model("test-identity-aws", [nova]),
    model("test-identity-aws-second", [nova, second]),
    model("test-identity-google", [gemini]),
    model("test-identity-google-second", [gemini, second]),
    model("test-identity-claude", [claude]),
    model("test-identity-azure", [gpt]),
    model("test-identity-azure-second", [gpt, second]),
  ];
}
