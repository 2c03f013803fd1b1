import { randomInt } from "node:crypto";

/** Letters and digits that are not confused with one another in handwriting. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 20 of 30 characters are 98 bits: guessing finds none. */
const groups = 4;
const groupLength = 5;

/** Returns the text of a new code, such as `7KQ2M-XW9DA-C4TRN-H8EFB`. */
export function newCodeText(): string {
  const group = () =>
    Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}

/** Returns a typed code in capitals, without spaces and dashes. */
export function normalizeCode(text: string): string {
  return text.toUpperCase().replace(/[^0-9A-Z]/g, "");
}
