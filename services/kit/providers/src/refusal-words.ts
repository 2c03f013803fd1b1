import type {
  FailureMeaning,
  ProviderRefusal,
  ReadRefusal,
} from "@tollgate/catalog/provider-refusal";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import type { RefusalReader } from "@tollgate/upstream/refusal";
import { isCodeOfLength, saysTooLong } from "./prompt-length.ts";
import { memberOf, messageOfRefusal, relayedBody } from "./refusal-message.ts";

/** The words of one vendor's refusals. */
export interface RefusalWords {
  /** Returns the message where the vendor's API has it, the likeliest first. */
  readonly messagesIn?: (body: unknown) => readonly unknown[];
  /** Further places with codes, besides those that vendors usually have. */
  readonly codesIn?: (refusal: ProviderRefusal) => readonly unknown[];
  /** What codes, types and reasons mean, which only the vendor writes. */
  readonly codes?: Readonly<Record<string, FailureMeaning>>;
  /**
   * The beginnings of messages that mean more than their code. A message may quote the client's request,
   * so each pattern matches from the start.
   */
  readonly phrases?: readonly (readonly [RegExp, FailureMeaning])[];
  /** As the column of the kind. */
  readonly reportedStatus?: (response: JsonObject) => number | undefined;
  /** Reads what the words alone do not say. */
  readonly readMore?: (refusal: ProviderRefusal, message: string) => ReadRefusal;
  /** Returns what a refusal means of which nothing else is known. */
  readonly otherwise?: (refusal: ProviderRefusal) => FailureMeaning | undefined;
}

/** Creates the reader of a vendor's refusals. It also knows the codes that vendors have in common. */
export function createRefusalReader(words: RefusalWords): RefusalReader {
  const { messagesIn = () => [], codesIn = () => [] } = words;
  const meanings = new Map(Object.entries({ ...usualCodes, ...words.codes }));
  const phrases = [...(words.phrases ?? []), ...usualPhrases];
  const refusalMessage = (body: unknown) => messageOfRefusal(body, ...messagesIn(body));
  return {
    refusalMessage,
    reportedStatus: words.reportedStatus ?? (() => undefined),
    readRefusal(refusal) {
      const message = refusalMessage(refusal.body) ?? "";
      const more = words.readMore?.(refusal, message);
      const phrase = phrases.find(([pattern]) => pattern.test(message));
      const codes = [...codesIn(refusal), ...usualCodesIn(refusal.body)];
      const code = codes.find((one) => typeof one === "string" && meanings.has(one));
      const known = more?.meaning ?? phrase?.[1] ?? meanings.get(String(code));
      const meaning = known ?? words.otherwise?.(refusal);
      const isTooLong = codes.some(isCodeOfLength) || saysTooLong(message);
      const isFiltered = codes.some(isCodeOfFilter);
      return { meaning, retryAfterMs: more?.retryAfterMs, isTooLong, isFiltered };
    },
  };
}

/**
 * Codes that stand for the same at every vendor that has them. Any provider may be a proxy, which passes
 * on the refusals of others.
 */
const usualCodes: Readonly<Record<string, FailureMeaning>> = {
  API_KEY_INVALID: "key_or_bill",
  account_deactivated: "key_or_bill",
  billing_error: "key_or_bill",
  billing_hard_limit_reached: "key_or_bill",
  billing_not_active: "key_or_bill",
  credit_balance_exhausted: "key_or_bill",
  insufficient_quota: "key_or_bill",
  invalid_api_key: "key_or_bill",
};

const usualPhrases: readonly (readonly [RegExp, FailureMeaning])[] = [
  [/^Incorrect API key provided/, "key_or_bill"],
  [/^User location is not supported/, "key_or_bill"],
  [/^Your credit balance is too low/, "key_or_bill"],
];

/** https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter#scenario-details */
function isCodeOfFilter(code: unknown): boolean {
  return code === "content_filter" || code === "ResponsibleAIPolicyViolation";
}

/** Returns the values of all members that have a code in some vendor's form. The narrowest is first. */
function usualCodesIn(given: unknown): readonly unknown[] {
  const body = relayedBody(given);
  const error = memberOf(body, "error");
  const detail = memberOf(body, "detail");
  const reasons = objectsIn(memberOf(error, "details")).map(({ reason }) => reason);
  return [
    ...reasons,
    ...["code", "type", "status"].map((name) => memberOf(error, name)),
    ...["code", "status", "type"].map((name) => memberOf(detail, name)),
    ...["err_code", "code", "type"].map((name) => memberOf(body, name)),
    ...["innererror", "inner_error"].map((name) => memberOf(memberOf(error, name), "code")),
  ];
}
