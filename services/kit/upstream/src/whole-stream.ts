import { SlotFailure } from "./failure.ts";
import { maxResponseBytes, notJson } from "./provider-response.ts";

const byteOrderMark = Buffer.from("\ufeff");

/**
 * Collects a response that is one JSON value, which some providers send although a stream was asked for,
 * under any content type. No event begins as such a value does.
 */
export class WholeStream {
  /** Undefined while there has been nothing but white space. */
  #isWhole: boolean | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  get isWhole(): boolean {
    return this.#isWhole === true;
  }

  /** Whether it is known that the response is no such value. */
  get isStream(): boolean {
    return this.#isWhole === false;
  }

  /** Adds what was read. Returns whether it is a part of a value, and of no event. */
  add(chunk: Buffer): boolean {
    this.#isWhole ??= beginsValue(chunk);
    if (this.#isWhole !== true) return false;
    this.#bytes += chunk.length;
    if (this.#bytes > maxResponseBytes) {
      throw new SlotFailure("oversized", "the provider's response is too large");
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** Returns the value, of which there is no more. Throws a SlotFailure for one that is cut. */
  value(): unknown {
    try {
      return JSON.parse(
        Buffer.concat(this.#chunks)
          .toString("utf8")
          .replace(/^\ufeff/, ""),
      );
    } catch (cause) {
      throw notJson(cause);
    }
  }
}

function beginsValue(chunk: Buffer): boolean | undefined {
  const start = chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk;
  const first = start.find((byte) => byte > 0x20);
  if (first === undefined) return undefined;
  return first === 0x7b || first === 0x5b;
}
