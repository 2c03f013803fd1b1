export const modelExample = {
  id: "demo-small",
  object: "model",
  created: 0,
  owned_by: "tollgate",
  route_type: "chat",
  context_tokens: 32_768,
  context_length: 32_768,
  supported_parameters: ["max_completion_tokens", "max_tokens", "temperature", "top_p", "tools"],
  pricing: {
    currency: "USD",
    unit_type: "tokens",
    per: 1_000_000,
    input: 0.1,
    output: 0.4,
    prompt: "0.0000001",
    completion: "0.0000004",
  },
};

const speech = {
  id: "demo-speech",
  object: "model",
  created: 0,
  owned_by: "tollgate",
  route_type: "speech",
  context_tokens: null,
  context_length: null,
  pricing: { currency: "USD", unit_type: "chars", per: 1_000_000, price: 15 },
};

export const modelListExample = { object: "list", data: [modelExample, speech] };
