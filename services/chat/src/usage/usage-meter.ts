import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { mediaTokens } from "../hold/estimate.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import type { ClientRequest } from "../wires/client-request.ts";
import { HiddenReasoning, hasSwitch, type ReasoningRequest } from "./hidden-reasoning.ts";
import { type Prompt, readPrompt } from "./prompt.ts";
import { TokenRatios } from "./token-ratios.ts";
import { countedUsage, withCounted } from "./usage.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** A call as its tokens are counted. */
export interface MeteredCall {
  model: Model;
  slot: Slot;
  accountId: string;
  client: Pick<ClientRequest, "json" | "mayHave">;
  /** Returns the request, with the stored turns of its conversation. Called only where it is needed. */
  request(): JsonObject;
}

/** What a chat template adds to each message, about. */
const tokensPerMessage = 4;
/** Encrypted reasoning is longer than its text, which has about four characters a token. */
const sealedCharactersPerToken = 6;
/** A longer request is not parsed in order to learn from it. */
const maxLearntCharacters = 65_536n;

/** Counts the tokens of chat calls that their providers have not reported. */
export class UsageMeter {
  readonly #tokenizer: Pick<Tokenizer, "count">;
  readonly #ratios: TokenRatios;
  readonly #hidden: HiddenReasoning;

  constructor(
    tokenizer: Pick<Tokenizer, "count">,
    ratios = new TokenRatios(),
    hidden = new HiddenReasoning(),
  ) {
    this.#tokenizer = tokenizer;
    this.#ratios = ratios;
    this.#hidden = hidden;
  }

  /** See `HiddenReasoning.isIn`. */
  hidesReasoning(request: ReasoningRequest): boolean {
    return this.#hidden.isIn(request);
  }

  /**
   * Resolves with the usage of what was delivered: as the provider has reported it so far, and the
   * rest by the tokenizer.
   */
  async usageOf(call: MeteredCall, counter: UsageCounter): Promise<ChatUsage> {
    const { complete, reported, text, unreportedShare } = counter;
    if (complete !== undefined) return complete;
    const ratio = this.#ratios.of(call.slot);
    if (reported !== undefined) {
      const [tokens = 0] = await this.#tokenizer.count([text]);
      return withCounted(reported, toTokens(tokens * unreportedShare * ratio));
    }
    const prompt = readPrompt(call.request());
    const [promptTokens = 0, tokens = 0] = await this.#tokenizer.count([prompt.text, text]);
    const { seen, heard } = mediaTokens({ ...prompt, imageParts: prompt.images }, call.model);
    const read = textTokens(prompt, promptTokens) * ratio + seen;
    const counted = countedUsage(
      toTokens(Math.max(read, 1)),
      toTokens(tokens * ratio),
      toTokens(heard),
    );
    return counter.withTools(counted);
  }

  /**
   * Learns from a completed call whether its slot hides reasoning, and from some, what its model counts.
   * `delivered` is called where that is needed only. Never throws.
   */
  learn(
    call: MeteredCall,
    usage: ChatUsage,
    delivered: () => UsageCounter,
    promptCharacters: bigint,
  ): void {
    if (usage.reasoningTokens > 0n && !hasSwitch(call.model, call.client)) {
      this.#hidden.learn(call.slot, usage, delivered().showsReasoning);
    }
    if (usage.basis !== "provider" || promptCharacters > maxLearntCharacters) return;
    if (!this.#ratios.isLongEnough(usage.promptTokens)) return;
    if (this.#ratios.isWanted(call.slot)) {
      void this.#learn(call, usage).catch(() => {});
    }
  }

  /**
   * Learns from the prompt only: output may have been generated that nobody was sent. What a tool of the
   * provider has read is in its prompt, and not in ours.
   */
  async #learn(call: MeteredCall, usage: ChatUsage): Promise<void> {
    const prompt = readPrompt(call.request());
    if (prompt.images > 0 || prompt.pages > 0 || prompt.audioSeconds > 0) return;
    if (usage.toolCalls.length > 0) return;
    const [tokens = 0] = await this.#tokenizer.count([prompt.text]);
    const provider = Number(usage.promptTokens);
    const counted = textTokens(prompt, tokens);
    this.#ratios.learn(call.slot, { accountId: call.accountId, provider, counted });
  }
}

function textTokens({ messages, sealedCharacters }: Prompt, tokens: number): number {
  return tokens + messages * tokensPerMessage + sealedCharacters / sealedCharactersPerToken;
}

function toTokens(tokens: number): bigint {
  return BigInt(Math.round(tokens));
}
