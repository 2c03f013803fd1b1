import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "@tollgate/upstream/failure";
import { reportsError } from "@tollgate/upstream/reported-error";
import type { Shape } from "./shape.ts";

/**
 * What is read of the responses of a kind: what else its providers send is not given to its package,
 * whose schemas refuse much of that.
 */
export interface ResponseShape {
  /** A whole response. One that is not of this shape is given to the package as it is. */
  answer: Shape;
  /** An event of a stream. One that is not of this shape is left out. */
  event: Shape;
  /** Starts to read the events of a stream, where one decides how others are read; else `event` reads them. */
  startEvents?(): Shape;
  /** Whether an event, as it is read, has the reason to finish. What follows it cannot break the response. */
  isFinish(event: JsonObject): boolean;
  /** The event that stands for a `[DONE]` without a reason to finish; undefined where there is no `[DONE]`. */
  done?: JsonObject;
  /** The event that the package waits for, where a stream that has finished ends without it. */
  end?: JsonObject;
}

/** Reads the events of one stream, and knows whether it has finished. */
export class EventFilter {
  readonly #shape: ResponseShape;
  readonly #event: Shape;
  #last: JsonObject | undefined;
  #isFinished = false;
  #isEmpty = true;

  /** Returns the failure for an error that a stream reports; see `reportedFailure`. */
  readonly failureOf: (body: JsonObject, status: number | undefined) => SlotFailure;

  constructor(shape: ResponseShape, failureOf: EventFilter["failureOf"]) {
    this.#shape = shape;
    this.#event = shape.startEvents?.() ?? shape.event;
    this.failureOf = failureOf;
  }

  /** Whether the reason to finish was read. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Returns what is read of an event: an error as it is, and undefined where it is left out. */
  read(event: unknown): JsonObject | undefined {
    if (isJsonObject(event) && isError(event)) return this.#isFinished ? undefined : event;
    const known = this.#event(event);
    if (!isJsonObject(known)) return undefined;
    this.#last = known;
    this.#isEmpty = false;
    if (this.#shape.isFinish(known)) this.#isFinished = true;
    return known;
  }

  /** Returns the event that stands for a `[DONE]`; undefined where there is none. */
  readDone(): JsonObject | undefined {
    return this.#isFinished || this.#isEmpty ? undefined : this.#shape.done;
  }

  /** Returns the event that stands for the end of a stream; undefined where there is none. */
  readEnd(): JsonObject | undefined {
    const { end } = this.#shape;
    return this.#isFinished && this.#last?.type !== end?.type ? end : undefined;
  }
}

function isError(event: JsonObject): boolean {
  return reportsError(event) || event.type === "error" || event.object === "error";
}
