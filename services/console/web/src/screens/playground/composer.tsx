import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import type { ChatSettings } from "./chats.ts";

interface Props {
  isBusy: boolean;
  onSend: (text: string, settings: ChatSettings) => void;
  onStop: () => void;
}

/** Writes a message and the settings of the requests. Enter sends it; with Shift, it begins a line. */
export function Composer({ isBusy, onSend, onStop }: Props) {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const submit = (values: FormData) => {
    if (isBusy || text.trim() === "") return;
    const most = Number(values.get("max_tokens"));
    const maxTokens = Number.isInteger(most) && most > 0 ? most : undefined;
    onSend(text.trim(), { system: String(values.get("system") ?? "").trim(), maxTokens });
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form
      ref={form}
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <details>
        <summary>Settings</summary>
        <div className="composer-settings">
          <Field label="Instructions" name="system" placeholder="You are brief." />
          <Field label="Most tokens of a response" name="max_tokens" inputMode="numeric" />
        </div>
      </details>
      <div className="composer-line">
        <textarea
          aria-label="Message"
          placeholder="Write a message"
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <Button icon="stop" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={text.trim() === ""}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
