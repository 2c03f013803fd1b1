import {
  embeddingsModel,
  faulty,
  imageModel,
  searches,
  taxonomyModel,
  unitModel,
} from "./entries.ts";

/** Embeddings, rerank, classification and images. */
export function jsonModels() {
  return [
    embeddingsModel("test-embed", "embed"),
    { ...embeddingsModel("test-embed-tokens", "embed"), token_input: true },
    { ...embeddingsModel("test-embed-tokens-no-usage", "embed?no_usage"), token_input: true },
    embeddingsModel("test-embed-total", "embed?total_only&usage=70,0"),
    embeddingsModel("test-embed-no-usage", "embed?no_usage"),
    embeddingsModel("test-embed-listless", "embed?no_list"),
    embeddingsModel("test-embed-other", "embed?other_encoding"),
    embeddingsModel("test-embed-odd", "embed?reply_id=odd-embeddings"),
    ...faulty("test-embed", (alias, model) => embeddingsModel(alias, model)),
    unitModel("rerank", "test-rerank", "rerank", searches),
    unitModel("rerank", "test-rerank-bare", "rerank?bare", searches),
    unitModel("rerank", "test-rerank-listless", "rerank?no_list", searches),
    ...faulty("test-rerank", (alias, model) => unitModel("rerank", alias, model, searches)),
    taxonomyModel("test-taxonomy", "taxonomy", ["2.1", "2.2"]),
    taxonomyModel("test-taxonomy-3", "taxonomy", ["3.1"]),
    taxonomyModel("test-taxonomy-pages", "taxonomy?pages=7", ["2.1"]),
    ...faulty("test-taxonomy", (alias, model) => taxonomyModel(alias, model, ["2.1"])),
    { ...unitModel("classification", "test-entities", "entities", searches), lane: "entities" },
    imageModel("test-image", "image"),
    imageModel("test-image-few", "image?images=2"),
    imageModel("test-image-many", "image?images=12"),
    imageModel("test-image-none", "image?images=0"),
    imageModel("test-image-gpt", "gpt-image-2"),
    imageModel("test-image-strange", "image?reply_id=strange-images"),
    { ...imageModel("test-image-sizes", "image"), sizes: ["512x512", "4096x2160"] },
    {
      ...imageModel("test-image-priced", "image"),
      sizes: { "512x512": "0.02", "4096x4096": "0.3" },
    },
    imageModel("test-image-fine", "image", "0.0000001"),
    ...faulty("test-image", (alias, model) => imageModel(alias, model)),
  ];
}
