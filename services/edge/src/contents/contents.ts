import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { type Span, trace } from "@opentelemetry/api";
import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { type RequestContent, RequestContentSchema } from "@tollgate/proto/tollgate/v1/content";
import type { Client } from "@tollgate/rpc/implementation";
import { CollectedContent, type ContentIds } from "./collected-content.ts";
import { ContentSpace } from "./content-space.ts";
import { recordContent } from "./traces/record-content.ts";
import type { TextWithoutMedia } from "./without-media.ts";

const flushEveryMs = 1_000;
const timeoutMs = 5_000;
/** Each of them has at most two times `maxContentBytes`. */
const maxInCall = 10;

const compress = promisify(gzip);

interface ContentParts {
  billing: Client<typeof BillingService>;
  log: Log;
  /** Whether the spans of requests have them, too. */
  isTraced: boolean;
}

/** Collects prompts and responses of accounts that store them. */
export interface Contents {
  /** Returns the content of a request that begins. It takes room until `end` or `drop`. */
  begin(ids: ContentIds, request: TextWithoutMedia): CollectedContent;
  /** Sends the content to billing, behind the request. */
  end(content: CollectedContent): void;
  /** Discards the content. */
  drop(content: CollectedContent): void;
  /** Sends what has ended. */
  stop(): Promise<void>;
}

/**
 * Collects contents in bounded memory, and sends them to billing every second, so that no request waits for
 * them. A process that is killed loses the last ones. Those of a failed call are dropped, and the log says how
 * many. If `isTraced`, they are also on the spans of their requests.
 */
export function createContents({ billing, log, isTraced }: ContentParts): Contents {
  const space = new ContentSpace();
  const spans = new WeakMap<CollectedContent, Span>();
  let ended: CollectedContent[] = [];
  const flushes = repeat(flush, { everyMs: flushEveryMs, isIdle: () => ended.length === 0 });

  async function flush(): Promise<void> {
    const contents = ended;
    ended = [];
    while (contents.length > 0) await send(contents.splice(0, maxInCall));
  }

  async function send(contents: readonly CollectedContent[]): Promise<void> {
    try {
      const messages: RequestContent[] = [];
      for (const content of contents) messages.push(await toMessage(content));
      await billing.recordContents({ contents: messages }, { timeoutMs });
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason, contents: contents.length }, "contents of requests not stored");
    } finally {
      for (const content of contents) content.release();
    }
  }

  return {
    begin(ids, request) {
      const content = new CollectedContent(ids, request, space);
      const span = isTraced ? trace.getActiveSpan() : undefined;
      if (span?.isRecording()) spans.set(content, span);
      return content;
    },
    end(content) {
      const span = spans.get(content);
      if (span !== undefined) recordContent(span, content);
      ended.push(content);
      flushes.resume();
    },
    drop: (content) => content.release(),
    async stop() {
      await flushes.stop();
      await flush();
    },
  };
}

async function toMessage(content: CollectedContent): Promise<RequestContent> {
  const { requestId, accountId, request } = content;
  const response = content.response();
  return create(RequestContentSchema, {
    requestId,
    accountId,
    request: await compressed(request.text),
    response: await compressed(response.text),
    isRequestCut: request.isCut,
    isResponseCut: response.isCut,
  });
}

async function compressed(text: Buffer): Promise<Uint8Array> {
  return text.length === 0 ? text : compress(text);
}
