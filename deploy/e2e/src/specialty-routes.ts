/** Values of a field: accepted, or refused with a code and the path that the error names. */
interface Values {
  good?: readonly unknown[];
  bad?: readonly (readonly [value: unknown, param?: string, code?: string])[];
}

export interface SpecialtyRoute {
  path: string;
  /** A minimal valid body. */
  body: Record<string, unknown>;
  /** The alias in the test catalog; its faulty variants have suffixes. */
  alias: string;
  fields: Record<string, Values>;
  /** Fields of other routes or providers. */
  foreign: readonly string[];
}

const notText: Values["bad"] = [[5], [null], [[]], [{}], [true], [undefined]];
const text = { good: ["x", "ünï😀", " "], bad: notText };
const model = { bad: [...(notText ?? []), [""]] } satisfies Values;
const inputs: Values = {
  good: ["one", ["one"], ["one", "two"], ["é", "😀".repeat(9)]],
  bad: [[undefined], [null], [5], [{}], [true], [[]], [["a", 5], "input[1]"], [[null], "input[0]"]],
};

/** Fields of the other lane are refused by name, whatever their values. */
function ofOtherLane(name: string, values: unknown[]): NonNullable<Values["bad"]> {
  return values.map((value) => [value, name, "unknown_param"]);
}

/**
 * Every field of the JSON routes other than chat, with valid and invalid values.
 */
export const specialtyRoutes: readonly SpecialtyRoute[] = [
  {
    path: "/v1/embeddings",
    alias: "test-embed",
    body: { model: "test-embed", input: "Hello" },
    foreign: ["user", "foo", "n", "session_id", "__proto__"],
    fields: {
      model,
      input: { ...inputs, bad: [...(inputs.bad ?? []), [[1, 2, 3]], [[[1, 2], [3]]]] },
      encoding_format: { good: ["float", "base64", null], bad: [["int8"], [5], [["float"]]] },
      dimensions: { good: [1, 256, null], bad: [[0], [-1], [1.5], ["8"], [1e300]] },
    },
  },
  {
    path: "/v1/rerank",
    alias: "test-rerank",
    body: { model: "test-rerank", query: "what", documents: ["a", "b"] },
    foreign: ["return_documents", "rank_fields", "max_chunks_per_doc", "input", "__proto__"],
    fields: {
      model,
      query: text,
      documents: {
        good: [["a"], ["a", "b", "c"], [""]],
        bad: [
          [[]],
          [undefined],
          [null],
          ["a"],
          [{}],
          [["a", 5], "documents[1]"],
          [[{ text: "a" }], "documents[0]"],
        ],
      },
      top_n: { good: [1, 2, 100, null], bad: [[0], [-1], [1.5], ["1"]] },
    },
  },
  {
    path: "/v1/classification",
    alias: "test-taxonomy",
    body: { model: "test-taxonomy", input: "Hello" },
    foreign: ["threshold", "text", "multi_label", "__proto__"],
    fields: {
      model,
      input: inputs,
      taxonomy: { good: ["2.1", "2.2", null], bad: [["3.1"], ["2.3"], [2.1], [["2.1"]]] },
      both_versions: { good: [true, false, null], bad: [["true"], [1]] },
      types: { good: [], bad: ofOtherLane("types", [["person"], "person", [5], []]) },
      labels: { good: [], bad: ofOtherLane("labels", [["person"], [], {}]) },
    },
  },
  {
    path: "/v1/classification",
    alias: "test-entities",
    body: { model: "test-entities", input: "Ada met Bob", types: ["person"] },
    foreign: ["flat_ner"],
    fields: {
      input: inputs,
      types: { good: [["a", "b"]], bad: [[undefined], [null], [[]], ["a"], [[""], "types[0]"]] },
      labels: { good: [["person"], null], bad: [[["other"]], [[]]] },
      taxonomy: { good: [], bad: ofOtherLane("taxonomy", ["2.1", "2.3", 5]) },
      both_versions: { good: [], bad: ofOtherLane("both_versions", [false, "yes"]) },
    },
  },
  {
    path: "/v1/images/generations",
    alias: "test-image",
    body: { model: "test-image", prompt: "a cat" },
    foreign: [
      "seed",
      "quality",
      "style",
      "background",
      "output_format",
      "output_compression",
      "moderation",
      "stream",
      "partial_images",
      "user",
      "image",
      "__proto__",
    ],
    fields: {
      model,
      prompt: { good: ["x", " "], bad: [...(notText ?? []), [""]] },
      n: { good: [1, 10, null], bad: [[0], [11], [1.5], ["2"], [-1]] },
      size: {
        good: ["1024x1024", "1x1", "512x2048", null],
        bad: [
          ["auto"],
          ["0x512"],
          ["0512x512"],
          ["512x0"],
          ["512X512"],
          ["512x"],
          [" 1x1"],
          ["1x1\n"],
          [512],
        ],
      },
      response_format: { good: ["url", null], bad: [["b64_json"], ["URL"], [5], [["url"]]] },
    },
  },
];
