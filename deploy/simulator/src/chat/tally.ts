import { countTokens } from "./tokens.ts";

/** Counts what a stream has sent so far. */
export interface Tally {
  add(choiceIndex: number, characters: number): void;
  readonly characters: number;
  /** Each choice's characters rounded up to tokens, then summed. */
  readonly tokens: number;
}

export function createTally(): Tally {
  const byChoice = new Map<number, number>();
  let characters = 0;
  let tokens = 0;
  return {
    add(choiceIndex, added) {
      const before = byChoice.get(choiceIndex) ?? 0;
      byChoice.set(choiceIndex, before + added);
      characters += added;
      tokens += countTokens(before + added) - countTokens(before);
    },
    get characters() {
      return characters;
    },
    get tokens() {
      return tokens;
    },
  };
}
