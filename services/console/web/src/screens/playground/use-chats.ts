import { useEffect, useRef, useState } from "react";
import { ChatFailure, type PlayedRequest, streamChat } from "../../calls/chat-stream.ts";
import {
  type Answer,
  answerAfter,
  type ChatSettings,
  emptyAnswer,
  type ModelChat,
  mostChats,
  requestOf,
  withAnswer,
} from "./chats.ts";

export interface Chats {
  chats: readonly ModelChat[];
  /** Whether a response is arriving. */
  isBusy: boolean;
  /** Sends a message to the model of each chat. */
  send(text: string, settings: ChatSettings): void;
  /** Cancels the requests. What has arrived stays. */
  stop(): void;
  setModel(id: number, model: string): void;
  add(model: string): void;
  remove(id: number): void;
  /** Begins anew with the same models. */
  clear(): void;
}

/** The chats of the playground with several models, which `account` pays. */
export function useChats(account: string, firstModel: string): Chats {
  const [chats, setChats] = useState<readonly ModelChat[]>([
    { id: 1, model: firstModel, turns: [] },
  ]);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const isBusy = chats.some(({ turns }) => turns.at(-1)?.answer.state === "arriving");

  async function run(id: number, request: PlayedRequest, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    const change = (next: (answer: Answer) => Answer) =>
      setChats((present) => withAnswer(present, id, next));
    const end = (state: Answer["state"], failure?: string) =>
      change((answer) => ({
        ...{ ...answer, state, durationMs: elapsed() },
        ...(failure !== undefined && { failure }),
      }));
    try {
      for await (const event of streamChat(request, { account, signal })) {
        const ms = elapsed();
        change((answer) => answerAfter(answer, event, ms));
      }
      end("complete");
    } catch (error) {
      if (signal.aborted) return end("stopped");
      end(
        "failed",
        error instanceof ChatFailure ? error.message : "The console cannot be reached.",
      );
    }
  }

  return {
    chats,
    isBusy,
    send(text, settings) {
      const controller = new AbortController();
      running.current = controller;
      const requests = chats.map((chat) => ({ chat, request: requestOf(chat, text, settings) }));
      setChats(
        requests.map(({ chat, request }) => ({
          ...chat,
          turns: [...chat.turns, { request, answer: emptyAnswer }],
        })),
      );
      for (const { chat, request } of requests) void run(chat.id, request, controller.signal);
    },
    stop: () => running.current?.abort(),
    setModel: (id, model) =>
      setChats((present) => present.map((chat) => (chat.id === id ? { ...chat, model } : chat))),
    add: (model) =>
      setChats((present) => {
        if (present.length >= mostChats) return present;
        const id = Math.max(0, ...present.map((chat) => chat.id)) + 1;
        return [...present, { id, model, turns: [] }];
      }),
    remove: (id) => setChats((present) => present.filter((chat) => chat.id !== id)),
    clear: () => setChats((present) => present.map((chat) => ({ ...chat, turns: [] }))),
  };
}
