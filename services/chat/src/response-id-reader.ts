import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { Generation } from "@tollgate/generation/generation";
import type { ResponseContext } from "./wires/response-context.ts";
import type { Wire } from "./wires/wire.ts";

/** Records the ids of one slot's response: see `Generation.identify`. */
export class ResponseIdReader {
  readonly #generation: Pick<Generation, "identify">;
  readonly #wire: Pick<Wire, "idPrefix" | "keepsIds">;
  readonly #isNative: boolean;
  readonly #id: ResponseContext["id"];
  #isKnown = false;

  /** `isNative`: the slot's provider speaks the client's wire. */
  constructor(
    generation: Pick<Generation, "identify">,
    wire: Pick<Wire, "idPrefix" | "keepsIds">,
    isNative: boolean,
    { id }: Pick<ResponseContext, "id">,
  ) {
    this.#generation = generation;
    this.#wire = wire;
    this.#isNative = isNative;
    this.#id = id;
  }

  /** Reads the value of a response, or of an event of a stream, of which the first has the id. */
  read(value: JsonObject): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    const { idPrefix, keepsIds } = this.#wire;
    const provider = idIn(value) || idIn(value.message) || idIn(value.response);
    const isKept = (this.#isNative || keepsIds) && provider !== "";
    this.#generation.identify({ provider, client: isKept ? provider : `${idPrefix}${this.#id}` });
  }
}

function idIn(value: unknown): string {
  return isJsonObject(value) && typeof value.id === "string" ? value.id : "";
}
