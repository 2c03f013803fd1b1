/** A piece of a page, safe to be put into another. */
export interface Html {
  readonly markup: string;
}

type Value = Html | readonly Html[] | string | number | undefined;

/** Makes a piece of a page. What is put into it is text, and escaped, unless it is Html. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const rest = values.map((value, index) => `${written(value)}${parts[index + 1]}`);
  return { markup: `${parts[0]}${rest.join("")}` };
}

/** Text with `code` in it, as paragraphs. */
export function prose(text: string): Html[] {
  return text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
}

/** Text with `code` in it. */
export function inline(text: string): Html[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

/** Pieces with something between them. */
export function joined(pieces: readonly Html[], between: string): Html[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [html`${between}`, piece]));
}

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function written(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "object") {
    return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
  }
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}
