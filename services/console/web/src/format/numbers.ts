const grouping = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Formats a whole number with thousands separated: `12,345`. */
export function formatCount(count: bigint | number): string {
  return grouping.format(count);
}

/** Formats a whole number in a few characters: `12.3K`. */
export function formatCountShort(count: bigint | number): string {
  return compact.format(count);
}

/** Formats what a price is for: `/ 1M tokens`, `/ image`. */
export function perText(per: bigint, dimension: string): string {
  const [one, many] = units[dimension] ?? (dimension.startsWith("tool:") ? calls : tokens);
  if (per === 1n) return `/ ${one}`;
  return `/ ${per === 1_000_000n ? "1M" : formatCount(per)} ${many}`;
}

/** Formats how much of a dimension was used: `8 input tokens`, `1 image`, `2 calls of web search`. */
export function formatQuantity(quantity: bigint, dimension: string): string {
  const unit = units[dimension];
  if (unit !== undefined) return countOf(quantity, ...unit);
  const name = dimension.replace(/^tool:/, "").replaceAll("_", " ");
  if (dimension.startsWith("tool:")) return `${countOf(quantity, ...calls)} of ${name}`;
  return countOf(quantity, `${name} token`);
}

/** The units of dimensions that are not kinds of tokens, nor calls of tools. */
const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  chars: ["character", "characters"],
  audio_seconds: ["second", "seconds"],
  searches: ["search", "searches"],
  pages: ["page", "pages"],
  images: ["image", "images"],
};
const calls = ["call", "calls"] as const;
const tokens = ["token", "tokens"] as const;

/** Formats a time span: `640 ms`, `2.41 s`, `1 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/**
 * Formats the share of `part` in `total` as a percentage, rounded to the nearest tenth. A share that is
 * not zero is never shown as 0 %, and one that is not all of it never as 100 %.
 */
export function formatShare(part: bigint, total: bigint): string {
  if (total === 0n) return "–";
  const tenths = (2_000n * part + total) / (2n * total);
  if (part > 0n && tenths === 0n) return "< 0.1 %";
  if (part < total && tenths === 1_000n) return "> 99.9 %";
  return `${tenths / 10n}.${tenths % 10n} %`;
}

/**
 * Formats the change from an amount to another as a percentage of the first, rounded to the nearest
 * whole one: `+12 %`, `−3 %`, `new` where there was none.
 */
export function formatChange(now: bigint, before: bigint): string {
  if (before === 0n) return now === 0n ? "–" : "new";
  const percent = Math.round((Number(now - before) / Number(before)) * 100);
  if (percent === 0) return "±0 %";
  return `${percent > 0 ? "+" : "−"}${formatCount(Math.abs(percent))} %`;
}

/** Formats a count and its noun: `1 key`, `2 keys`. */
export function countOf(count: bigint | number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? noun : plural}`;
}
