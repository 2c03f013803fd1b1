/**
 * A tokenizer takes long for some texts: for a repeated letter, its time is quadratic. Each end of a
 * piece may add a token, and with fewer pieces, a text of several languages is not measured well.
 */
const pieceCharacters = 128;
/** 32 pieces of 128 characters are 4 KiB. */
const maxPieces = 32;

/**
 * A sample of texts together, at most 4 KiB however long they are: pieces taken evenly, each at a
 * random place of its part, so that the writer of a text cannot know which ones are taken.
 */
export class TextSample {
  readonly #random: () => number;
  #length = 0;
  #pieces: string[] = [];
  /** One of this many pieces is taken; a power of two. */
  #stride = 1;
  /** Which one of the current `#stride` pieces is taken. */
  #chosen = 0;
  /** The piece that is being taken, until it is full. */
  #open = "";

  /** `random` returns a number from 0 to 1, without 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The UTF-16 code units of all texts. */
  get length(): number {
    return this.#length;
  }

  /** Returns the pieces that are taken of all texts so far. */
  pieces(): string[] {
    return this.#open === "" ? this.#pieces : [...this.#pieces, this.#open];
  }

  add(text: string): void {
    let at = 0;
    while (at < text.length) {
      const piece = Math.floor(this.#length / pieceCharacters);
      const left = pieceCharacters - (this.#length % pieceCharacters);
      const end = Math.min(text.length, at + left);
      const isTaken = piece % this.#stride === this.#chosen;
      if (isTaken) this.#open += text.slice(at, end);
      this.#length += end - at;
      at = end;
      if (this.#length % pieceCharacters === 0) this.#endPiece(piece, isTaken);
    }
  }

  /** Forgets all texts. */
  clear(): void {
    this.#length = 0;
    this.#pieces = [];
    this.#open = "";
    this.#stride = 1;
    this.#chosen = 0;
  }

  #endPiece(piece: number, isTaken: boolean): void {
    if (isTaken) {
      this.#pieces.push(this.#open);
      this.#open = "";
    }
    if ((piece + 1) % this.#stride !== 0) return;
    if (this.#pieces.length >= maxPieces) this.#thin();
    this.#chosen = Math.floor(this.#random() * this.#stride);
  }

  /** Keeps one piece of each two, so that each is taken of twice as many. */
  #thin(): void {
    const kept: string[] = [];
    for (let at = 0; at < this.#pieces.length; at += 2) {
      kept.push(this.#pieces[at + (this.#random() < 0.5 ? 0 : 1)] ?? "");
    }
    this.#pieces = kept;
    this.#stride *= 2;
  }
}
