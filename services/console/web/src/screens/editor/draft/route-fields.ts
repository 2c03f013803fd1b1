/** A field that the models of one route type have. */
export interface RouteField {
  name: string;
  label: string;
  /** The values to choose from. Absent: a whole number. */
  options?: readonly string[];
  isRequired: boolean;
}

interface RouteForm {
  fields: readonly RouteField[];
  /** The prices, of which the first ones are required. */
  prices: readonly string[];
  requiredPrices: readonly string[];
  /** Whether prices are for a million units unless `per` says otherwise. */
  hasDefaultPer: boolean;
}

const number = (name: string, label: string, isRequired: boolean): RouteField => ({
  ...{ name, label, isRequired },
});
const unit = {
  ...{ prices: ["price"], requiredPrices: ["price"], hasDefaultPer: false },
};

/** What the form of a model has, by its route type. Other settings are in the YAML. */
export const routeForms: Readonly<Record<string, RouteForm>> = {
  chat: {
    fields: [
      number("context_tokens", "Context, tokens", true),
      number("max_output_tokens", "Output at most, tokens", true),
    ],
    prices: ["input", "cached_input", "cache_write", "output", "reasoning"],
    requiredPrices: ["input", "output"],
    hasDefaultPer: true,
  },
  embeddings: {
    fields: [number("context_tokens", "Context, tokens", false)],
    prices: ["input"],
    requiredPrices: ["input"],
    hasDefaultPer: true,
  },
  speech: { fields: [number("max_characters", "Characters at most", true)], ...unit },
  transcriptions: {
    fields: [choice("language", "Language", ["auto", "required"])],
    ...unit,
  },
  rerank: { fields: [], ...unit },
  ocr: { fields: [choice("lane", "Lane", ["print", "archival"])], ...unit },
  classification: { fields: [choice("lane", "Lane", ["taxonomy", "entities"])], ...unit },
  images: { fields: [], ...unit },
};

function choice(name: string, label: string, options: readonly string[]): RouteField {
  return { name, label, options, isRequired: true };
}
