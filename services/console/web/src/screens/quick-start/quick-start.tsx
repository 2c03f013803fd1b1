import { Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useChange } from "../../calls/use-change.ts";
import { useChatModels } from "../../calls/use-chat-models.ts";
import { useAccess, useSession } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SecretText } from "../../ui/secret-text.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { examplesOf } from "./examples.ts";
import "./quick-start.css";

/** Shown until the page has created a key, and where an operator has not set the address. */
const noKey = "YOUR_KEY";
const noUrl = "https://gateway.example.com";

/** How clients make a first request of an account, which is empty for a customer's own. */
export function QuickStart({ account }: { account: string }) {
  const models = useChatModels(account);
  return (
    <Loaded query={models} rows={6}>
      {(aliases) =>
        aliases.length === 0 ? (
          <Empty icon="models" title="No chat model is public">
            The catalog has none that the keys of this account may call.
          </Empty>
        ) : (
          <Examples account={account} aliases={aliases} />
        )
      }
    </Loaded>
  );
}

function Examples({ account, aliases }: { account: string; aliases: readonly string[] }) {
  const { gatewayUrl = "" } = useSession().data ?? {};
  const { canChangeKeys, canPlay } = useAccess();
  const create = useChange(OperatorService.method.createKey);
  const [typed, setTyped] = useState("");
  const [alias, setAlias] = useState(aliases[0] ?? "");
  const [name, setName] = useState("curl");
  const key = create.data?.key;
  const shownKey = key ?? (typed.trim() || noKey);
  const examples = examplesOf({ gatewayUrl: gatewayUrl || noUrl, key: shownKey, alias });
  const shown = examples.find((one) => one.name === name) ?? examples[0];
  return (
    <div className="quick-start">
      <div className="filters">
        <span className="filter">
          <label htmlFor="quick-start-model">Model</label>
          <select
            id="quick-start-model"
            value={alias}
            onChange={(event) => setAlias(event.target.value)}
          >
            {aliases.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </span>
        {key === undefined && <KeyField typed={typed} onTyped={setTyped} />}
        {canChangeKeys && key === undefined && (
          <Button
            look="primary"
            icon="plus"
            disabled={create.isPending}
            onClick={() => create.mutate({ account, name: "quick start" })}
          >
            Create key
          </Button>
        )}
        {canPlay && (
          <span className="quiet">
            Without a key: the{" "}
            <Link to="/playground" search={account === "" ? {} : { account }}>
              playground
            </Link>
          </span>
        )}
      </div>
      {create.error && (
        <p className="form-error" role="alert">
          {errorMessageOf(create.error)}
        </p>
      )}
      {key !== undefined && <SecretText text={key} what="key" />}
      <Address gatewayUrl={gatewayUrl} />
      <ClientChoice names={examples.map((one) => one.name)} name={shown?.name} onName={setName} />
      {shown?.steps.map(({ text, code }) => (
        <div key={text} className="stack">
          <p>{text}</p>
          <CodeBlock code={code} what={`code for ${shown.name}`} />
        </div>
      ))}
    </div>
  );
}

interface ClientProps {
  names: readonly string[];
  name: string | undefined;
  onName: (name: string) => void;
}

function ClientChoice({ names, name, onName }: ClientProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of buttons has no element of its own.
    <div className="segments" role="group" aria-label="Client">
      {names.map((one) => (
        <button key={one} type="button" aria-pressed={one === name} onClick={() => onName(one)}>
          {one}
        </button>
      ))}
    </div>
  );
}

/** Takes a key that a person has, for the examples. It stays in the page. */
function KeyField({ typed, onTyped }: { typed: string; onTyped: (key: string) => void }) {
  return (
    <label className="filter grow">
      Key
      <input
        className="mono grow"
        value={typed}
        placeholder="Paste one for the examples"
        size={26}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onTyped(target.value)}
      />
    </label>
  );
}

/** The base URL, and where the API is described. */
function Address({ gatewayUrl }: { gatewayUrl: string }) {
  const { isCustomer } = useAccess();
  if (gatewayUrl === "") {
    return (
      <p className="quiet">
        The address is an example:{" "}
        {isCustomer ? (
          "the operator has not set where clients reach the gateway."
        ) : (
          <>
            set <code>TOLLGATE_PUBLIC_URL</code> of the console to where clients reach the gateway.
          </>
        )}
      </p>
    );
  }
  return (
    <p className="quiet">
      The base URL is <code>{gatewayUrl}/v1</code>. The{" "}
      <a href={`${gatewayUrl}/docs`}>API reference</a> describes every route.
    </p>
  );
}
