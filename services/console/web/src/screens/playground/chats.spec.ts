import { expect, test } from "vitest";
import {
  type Answer,
  answerAfter,
  emptyAnswer,
  type ModelChat,
  requestOf,
  withAnswer,
} from "./chats.ts";

const settings = { system: "", maxTokens: undefined };
const empty: ModelChat = { id: 1, model: "gpt-5", turns: [] };

function chatWith(...answers: readonly Partial<Answer>[]): ModelChat {
  let chat = empty;
  for (const [index, answer] of answers.entries()) {
    const request = requestOf(chat, `question ${index}`, settings);
    const turn = { request, answer: { ...emptyAnswer, ...answer } };
    chat = { ...chat, turns: chat.turns.concat(turn) };
  }
  return chat;
}

test("a request has the instructions, the chat so far and the new message", () => {
  const chat = chatWith({ state: "complete", text: "answer 0" });
  expect(requestOf(chat, "and now?", { system: "Be brief.", maxTokens: 100 })).toEqual({
    model: "gpt-5",
    max_tokens: 100,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "question 0" },
      { role: "assistant", content: "answer 0" },
      { role: "user", content: "and now?" },
    ],
  });
});

test("a question without an answer is not sent again, and what had arrived before a stop is", () => {
  const chat = chatWith({ state: "failed" }, { state: "stopped", text: "half an" });
  const { messages } = requestOf(chat, "go on", settings);
  expect(messages.map(({ content }) => content)).toEqual(["question 1", "half an", "go on"]);
});

test("the first token has its time, and later ones do not change it", () => {
  const first = answerAfter(emptyAnswer, { kind: "thinking", text: "Hm" }, 40);
  const second = answerAfter(first, { kind: "text", text: "He" }, 90);
  const third = answerAfter(second, { kind: "text", text: "llo" }, 120);
  expect(third).toMatchObject({ thinking: "Hm", text: "Hello", firstTokenMs: 40 });
});

test("an answer changes in its own chat alone", () => {
  const chats = [chatWith({}), { ...chatWith({}), id: 2 }];
  const [one, two] = withAnswer(chats, 2, (answer) => ({ ...answer, text: "new" }));
  expect(one?.turns.at(-1)?.answer.text).toBe("");
  expect(two?.turns.at(-1)?.answer.text).toBe("new");
});
