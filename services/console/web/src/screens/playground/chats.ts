import type {
  ChatEvent,
  PlayedMessage,
  PlayedRequest,
  PlayedUsage,
} from "../../calls/chat-stream.ts";

/** The response of one model to one message. */
export interface Answer {
  state: "arriving" | "complete" | "stopped" | "failed";
  text: string;
  thinking: string;
  requestId: string;
  usage?: PlayedUsage;
  /** What went wrong. */
  failure?: string;
  /** How long after the request the first token arrived, and how long the whole took. */
  firstTokenMs?: number;
  durationMs?: number;
}

/** A message, with the request of one model and what it answered. */
export interface ChatTurn {
  request: PlayedRequest;
  answer: Answer;
}

/** The chat with one model. */
export interface ModelChat {
  id: number;
  model: string;
  turns: readonly ChatTurn[];
}

export const mostChats = 4;

/** What a person has set besides the models. */
export interface ChatSettings {
  system: string;
  maxTokens: number | undefined;
}

/**
 * Returns the request that continues a chat. It contains the earlier messages and their answers, except messages
 * whose answer has no text.
 */
export function requestOf(
  { model, turns }: ModelChat,
  text: string,
  settings: ChatSettings,
): PlayedRequest {
  const { system, maxTokens } = settings;
  const before = turns.flatMap(({ request, answer }): PlayedMessage[] => {
    const question = request.messages.at(-1);
    if (question === undefined || answer.text === "") return [];
    return [question, { role: "assistant", content: answer.text }];
  });
  const instructions: PlayedMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  return {
    model,
    messages: [...instructions, ...before, { role: "user", content: text }],
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  };
}

export const emptyAnswer: Answer = { state: "arriving", text: "", thinking: "", requestId: "" };

/** Returns an answer after an event that arrived so long after its request. */
export function answerAfter(answer: Answer, event: ChatEvent, ms: number): Answer {
  switch (event.kind) {
    case "begun":
      return { ...answer, requestId: event.requestId };
    case "usage":
      return { ...answer, usage: event.usage };
    default: {
      const firstTokenMs = answer.firstTokenMs ?? ms;
      return { ...answer, firstTokenMs, [event.kind]: answer[event.kind] + event.text };
    }
  }
}

/** Returns chats in which the last answer of one is replaced. */
export function withAnswer(
  chats: readonly ModelChat[],
  id: number,
  change: (answer: Answer) => Answer,
): readonly ModelChat[] {
  return chats.map((chat) => {
    const last = chat.turns.at(-1);
    if (chat.id !== id || last === undefined) return chat;
    const turn = { ...last, answer: change(last.answer) };
    return { ...chat, turns: [...chat.turns.slice(0, -1), turn] };
  });
}
