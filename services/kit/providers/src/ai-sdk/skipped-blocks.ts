/** The blocks of a stream that are not read, by their indexes. What follows in them is not read, either. */
export class SkippedBlocks {
  #indexes: number[] = [];

  /** Records that a block begins, which may have the index of one before. */
  begin(index: number, isRead: boolean): void {
    if (!isRead) this.#indexes.push(index);
    else if (this.#indexes.length > 0) {
      this.#indexes = this.#indexes.filter((other) => other !== index);
    }
  }

  has(index: number): boolean {
    return this.#indexes.includes(index);
  }
}
