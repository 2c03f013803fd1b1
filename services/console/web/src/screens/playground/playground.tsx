import { getRouteApi, Link } from "@tanstack/react-router";
import { useChatModels } from "../../calls/use-chat-models.ts";
import { type PayingAccount, usePayingAccount } from "../../calls/use-paying-account.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { PayingAccountChoice } from "../../ui/paying-account-choice.tsx";
import { Screen } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { ChatColumn } from "./chat-column.tsx";
import { mostChats } from "./chats.ts";
import { Composer } from "./composer.tsx";
import { useChats } from "./use-chats.ts";
import "./playground.css";

const route = getRouteApi("/app/playground");

/** Chats with models of an account, side by side. */
export function PlaygroundScreen() {
  const { account: chosen = "" } = route.useSearch();
  const { canPlay } = useAccess();
  const paying = usePayingAccount(chosen);
  const models = useChatModels(paying.account, canPlay && !paying.isMissing);
  if (!canPlay) {
    return (
      <Screen title="Playground">
        <Empty icon="playground" title="There is no playground for you">
          Admins and developers of an account use it, and operators.
        </Empty>
      </Screen>
    );
  }
  if (paying.isMissing) {
    return (
      <Screen title="Playground">
        <Empty icon="accounts" title="No account yet">
          <Link to="/accounts">Create an account</Link>, which pays for the requests.
        </Empty>
      </Screen>
    );
  }
  return (
    <Loaded query={models}>
      {(aliases) => <Playground key={paying.account} paying={paying} models={aliases} />}
    </Loaded>
  );
}

function Playground({ paying, models }: { paying: PayingAccount; models: readonly string[] }) {
  const [first = ""] = models;
  const { chats, isBusy, send, stop, setModel, add, remove, clear } = useChats(
    paying.account,
    first,
  );
  const unused = models.find((model) => chats.every((chat) => chat.model !== model)) ?? first;
  if (models.length === 0) {
    return (
      <Screen title="Playground" actions={<PayingAccountChoice {...paying} />}>
        <Empty icon="models" title="No chat model is public">
          The catalog has none that this account may call.
        </Empty>
      </Screen>
    );
  }
  return (
    <Screen
      title="Playground"
      actions={
        <>
          <PayingAccountChoice {...paying} />
          <Button
            icon="plus"
            disabled={isBusy || chats.length >= mostChats}
            onClick={() => add(unused)}
          >
            Add a model
          </Button>
          <Button look="quiet" disabled={isBusy} onClick={clear}>
            Clear
          </Button>
        </>
      }
    >
      <div className="chats" data-count={chats.length}>
        {chats.map((chat) => (
          <ChatColumn
            key={chat.id}
            chat={chat}
            models={models}
            isBusy={isBusy}
            onModel={(model) => setModel(chat.id, model)}
            onRemove={chats.length === 1 ? undefined : () => remove(chat.id)}
          />
        ))}
      </div>
      <Composer isBusy={isBusy} onSend={send} onStop={stop} />
      <p className="quiet">
        Requests are charged to the account, up to a daily amount for each person.
      </p>
    </Screen>
  );
}
