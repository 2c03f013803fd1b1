/**
 * The bases of quantities that a provider should report and did not: what the gateway counts instead.
 * The ledger's index `entry_fallback` is of these.
 */
export const fallbackBases: readonly string[] = [
  "approx4",
  "file_bytes",
  "file_parts",
  "input_pages",
  "input_tokens",
  "page_tree",
  "pcm_bytes",
  "wall_clock",
  "wav_header",
];
