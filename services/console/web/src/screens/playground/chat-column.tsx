import { Icon } from "../../ui/icons.tsx";
import { TurnView } from "./answer-view.tsx";
import type { ModelChat } from "./chats.ts";

interface Props {
  chat: ModelChat;
  models: readonly string[];
  isBusy: boolean;
  onModel: (model: string) => void;
  /** Undefined for the only chat. */
  onRemove: (() => void) | undefined;
}

/** The chat with one model, beside others. */
export function ChatColumn({ chat, models, isBusy, onModel, onRemove }: Props) {
  const { model, turns } = chat;
  return (
    <section className="chat" aria-label={`Chat with ${model}`}>
      <div className="chat-head">
        <select
          aria-label="Model"
          value={model}
          disabled={isBusy}
          onChange={(event) => onModel(event.target.value)}
        >
          {models.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {onRemove && (
          <button
            type="button"
            className="copy"
            disabled={isBusy}
            onClick={onRemove}
            aria-label={`Remove the chat with ${model}`}
            title="Remove"
          >
            <Icon name="close" size={14} />
          </button>
        )}
      </div>
      {turns.length === 0 ? (
        <p className="quiet chat-empty">Responses of {model} arrive here.</p>
      ) : (
        <ol className="turns">
          {turns.map((turn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end.
            <TurnView key={index} turn={turn} />
          ))}
        </ol>
      )}
    </section>
  );
}
