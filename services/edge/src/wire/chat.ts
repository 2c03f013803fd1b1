import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/kit/errors";
import type { Client } from "@tollgate/kit/rpc/implementation";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { ChatCall, ChatService } from "@tollgate/proto/tollgate/v1/chat";
import type { Authenticate, Principal } from "../auth.ts";
import type { Exchange, Route } from "../exchange.ts";
import type { BalanceGuard } from "../guard.ts";
import { readJsonObject } from "../json-body.ts";
import { refuseQuery } from "../query.ts";
import type { RateWindows } from "../rate-windows.ts";
import { writeEventStream } from "../sse.ts";
import { type ParsedChat, parseChat } from "./chat-call.ts";

/** The longest that a chat completion may take, from the first byte in to the last one out. */
const chatTimeoutMs = 30 * 60 * 1_000;

export interface ChatParts {
  authenticate: Authenticate;
  guard: BalanceGuard;
  rates: RateWindows;
  chat: Client<typeof ChatService>;
}

/** POST /v1/chat/completions */
export function chatCompletions(parts: ChatParts): Route {
  return async (exchange) => {
    const principal = await parts.authenticate(exchange);
    await parts.guard.check(principal.accountId);
    refuseQuery(exchange.req);
    const parsed = parseChat(await readJsonObject(exchange));
    parts.rates.countRequest(principal.keyId);
    try {
      await (parsed.stream ? answerStream : answerJson)(parts, exchange, principal, parsed);
    } catch (error) {
      if (error instanceof GatewayError && error.code === "credit_balance_exhausted") {
        parts.guard.forget(principal.accountId);
      }
      throw error;
    }
  };
}

async function answerJson(
  { chat, rates }: ChatParts,
  exchange: Exchange,
  principal: Principal,
  parsed: ParsedChat,
): Promise<void> {
  const { res, signal } = exchange;
  const request = { call: callOf(exchange, principal, parsed) };
  const answer = await chat.complete(request, { signal, timeoutMs: chatTimeoutMs });
  rates.countTokens(principal.keyId, Number(answer.totalTokens));
  res.set(rates.headers(principal.keyId));
  res.setHeader("content-type", "application/json; charset=utf-8");
  res.setHeader("content-length", answer.body.byteLength);
  res.end(answer.body);
}

async function answerStream(
  { chat, rates }: ChatParts,
  exchange: Exchange,
  principal: Principal,
  parsed: ParsedChat,
): Promise<void> {
  const request = { call: callOf(exchange, principal, parsed) };
  const { signal } = exchange;
  const answers = chat.stream(request, { signal, timeoutMs: chatTimeoutMs });
  exchange.res.set(rates.headers(principal.keyId));
  await writeEventStream(exchange, chunksOf(answers));

  async function* chunksOf(messages: typeof answers) {
    for await (const { chunks, totalTokens } of messages) {
      rates.countTokens(principal.keyId, Number(totalTokens));
      yield chunks;
    }
  }
}

function callOf({ requestId }: Exchange, principal: Principal, { call }: ParsedChat): ChatCall {
  call.caller = create(CallerSchema, { requestId, ...principal });
  return call;
}
