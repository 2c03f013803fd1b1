import { z } from "zod";

/** The form of a `Reply`. */
export const replyForm = z.strictObject({
  /** Default: 200. */
  status: z.int().min(200).max(599).optional(),
  /** They replace the content type of the body's form. */
  headers: z.record(z.string(), z.string()).optional(),
  /** A text is sent as it stands, as an event stream. Any other value is sent as JSON. */
  body: z.unknown().optional(),
  /** In place of a body: its bytes. */
  base64: z.base64().optional(),
  /** In place of a body: events in AWS's framing, each with its headers and its payload. */
  frames: z.array(z.tuple([z.record(z.string(), z.string()), z.looseObject({})])).optional(),
  /** Compresses the body, and sends the `content-encoding`. */
  encoding: z.enum(["gzip", "deflate", "br", "zstd"]).optional(),
});

/** A response that is sent as it stands, in place of one that a route generates. */
export type Reply = Readonly<z.input<typeof replyForm>>;

/** What a route was sent before it sent a reply. */
export interface RepliedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON; undefined where it is no JSON, or too large for the call log. */
  readonly body: unknown;
}

/** The replies of a simulator, by the ids that the command `reply_id` names. */
export class Replies {
  readonly #replies = new Map<string, Reply>();
  readonly #requests = new Map<string, RepliedRequest>();

  /** Registers a reply, in place of one with the same id. */
  set(id: string, reply: Reply): void {
    this.#replies.set(id, reply);
    this.#requests.delete(id);
  }

  get(id: string): Reply | undefined {
    return this.#replies.get(id);
  }

  /** Records the request to which a reply is sent. */
  record(id: string, request: RepliedRequest): void {
    this.#requests.set(id, request);
  }

  /** Returns the last request to which the reply was sent; undefined where there is none. */
  requestTo(id: string): RepliedRequest | undefined {
    return this.#requests.get(id);
  }
}
