import type { LanguageModelV4FilePart, LanguageModelV4Message } from "@ai-sdk/provider";

/**
 * Returns messages whose documents have names that Converse takes: each another one, of letters, digits
 * and hyphens. A message of a user with a document also needs a text, which is then the name.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */
export function withNamedDocuments(
  messages: readonly LanguageModelV4Message[],
): LanguageModelV4Message[] {
  const names = new DocumentNames();
  return messages.map((message) => {
    if (message.role === "user") return { ...message, content: withText(message.content, names) };
    if (message.role !== "tool") return message;
    return { ...message, content: message.content.map((part) => namedInResult(part, names)) };
  });
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

function withText(content: UserContent, names: DocumentNames): UserContent {
  const document = content.find(isDocument);
  if (document === undefined) return content;
  const named = content.map((part) => (isDocument(part) ? names.named(part) : part));
  if (named.some((part) => part.type === "text" && part.text.trim() !== "")) return named;
  const { filename = "" } = named.find(isDocument) ?? {};
  return [{ type: "text", text: filename }, ...named];
}

function namedInResult(part: ToolPart, names: DocumentNames): ToolPart {
  if (part.type !== "tool-result" || part.output.type !== "content") return part;
  const value = part.output.value.map((one) => (isDocument(one) ? names.named(one) : one));
  return { ...part, output: { ...part.output, value } };
}

function isDocument<Part extends { type: string }>(
  part: Part,
): part is Part & LanguageModelV4FilePart {
  return part.type === "file" && "mediaType" in part && part.mediaType === "application/pdf";
}

const maxNameLength = 100;

/** The names of the documents of one request. */
class DocumentNames {
  readonly #taken = new Set<string>();

  named<Part extends LanguageModelV4FilePart>(part: Part): Part {
    const name = plainName(part.filename ?? "");
    let free = name;
    for (let number = 2; this.#taken.has(free.toLowerCase()); number += 1) {
      free = `${name}-${number}`;
    }
    this.#taken.add(free.toLowerCase());
    return { ...part, filename: free };
  }
}

function plainName(filename: string): string {
  const plain = filename
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .replace(/[^a-z0-9]+/gi, "-")
    .replace(/^-|-$/g, "")
    .slice(0, maxNameLength);
  return plain === "" ? "document" : plain;
}
