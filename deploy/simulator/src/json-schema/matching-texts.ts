import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Longer texts than this are not made. */
const maxCharacters = 10_000;

/** Tried in this order where a pattern allows several characters. */
const usualCharacters = Array.from("a1Ab2Bc3C-_ .😀");

const parser = new RegExpParser();

/**
 * Yields texts that are likely to match a pattern, the shortest usual one first, each in several
 * lengths. Assertions are ignored, so each text is still to be tested. Yields nothing for a pattern
 * that is invalid, or that only very long texts match.
 */
export function* matchingTexts(pattern: string, minLength: number): Generator<string, void> {
  const parsed = parse(pattern);
  if (parsed === undefined) return;
  for (const variation of [0, 1, 2, 3]) {
    for (const alternative of [0, 1, 2]) {
      for (const repeats of [1, 0, 2, 3, 4, minLength]) {
        const text = write(parsed, { variation, alternative, repeats });
        if (text !== undefined) yield text;
      }
    }
  }
}

function parse(pattern: string): AST.Pattern | undefined {
  try {
    new RegExp(pattern, "u");
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: true });
  } catch {
    return undefined;
  }
}

interface Choices {
  /** 0 writes the same character for equal classes; others write several in turn. */
  readonly variation: number;
  /** Which of several alternatives is taken, modulo their number. */
  readonly alternative: number;
  /** How often a quantifier repeats above its minimum, if it may. */
  readonly repeats: number;
}

function write(pattern: AST.Pattern, choices: Choices): string | undefined {
  let text = "";

  function turn(): number {
    return choices.variation === 0 ? 0 : text.length + choices.variation - 1;
  }

  function writeOne(alternatives: readonly AST.Alternative[]): void {
    const chosen = alternatives[choices.alternative % alternatives.length];
    for (const element of chosen?.elements ?? []) writeElement(element);
  }

  function writeElement(element: AST.Element | AST.QuantifiableElement): void {
    if (text.length > maxCharacters) return;
    switch (element.type) {
      case "Character":
        text += String.fromCodePoint(element.value);
        break;
      case "CharacterSet":
      case "CharacterClass":
        text += characterOf(element, turn());
        break;
      case "Group":
      case "CapturingGroup":
        writeOne(element.alternatives);
        break;
      case "Quantifier":
        writeRepeated(element);
        break;
    }
  }

  function writeRepeated({ min, max, element }: AST.Quantifier): void {
    const count = Math.min(min + choices.repeats, max, maxCharacters);
    for (let written = 0; written < count && text.length <= maxCharacters; written += 1) {
      writeElement(element);
    }
  }

  writeOne(pattern.alternatives);
  return text.length > maxCharacters ? undefined : text;
}

/** Returns a character of a class or set: a usual one if it has one, else its first in Unicode. */
function characterOf(node: AST.CharacterSet | AST.CharacterClass, turn: number): string {
  const matcher = new RegExp(`^${node.raw}$`, "u");
  const usual = usualCharacters.filter((character) => matcher.test(character));
  return usual[turn % usual.length] ?? firstCharacter(matcher);
}

function firstCharacter(matcher: RegExp): string {
  for (let codePoint = 0x21; codePoint < 0x2_0000; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    if (character.isWellFormed() && matcher.test(character)) return character;
  }
  return "\t";
}
