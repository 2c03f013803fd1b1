import { tokensOfCharacters } from "./tokens.ts";

/** Counts the characters and tokens that a stream has sent so far. */
export interface StreamProgress {
  add(choiceIndex: number, characters: number): void;
  readonly characters: number;
  /** The sum of each choice's characters, rounded up to tokens per choice. */
  readonly tokens: number;
}

export function createStreamProgress(): StreamProgress {
  const byChoice = new Map<number, number>();
  let characters = 0;
  let tokens = 0;
  return {
    add(choiceIndex, added) {
      const before = byChoice.get(choiceIndex) ?? 0;
      byChoice.set(choiceIndex, before + added);
      characters += added;
      tokens += tokensOfCharacters(before + added) - tokensOfCharacters(before);
    },
    get characters() {
      return characters;
    },
    get tokens() {
      return tokens;
    },
  };
}
