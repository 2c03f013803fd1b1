import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useFindKey } from "../../calls/use-find-key.ts";
import { isSecretText, keyTextIn, secretNotice } from "../../search/key-text.ts";

/** Leads to a request by any of its ids. The text of a key leads to the key. */
export function FindRequest() {
  const navigate = useNavigate();
  const { find, problem } = useFindKey();
  const [isRefused, setRefused] = useState(false);
  const hint = isRefused ? secretNotice : problem;
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const requestId = String(new FormData(event.currentTarget).get("id")).trim();
        if (requestId === "") return;
        const key = keyTextIn(requestId);
        const isSecret = isSecretText(requestId);
        setRefused(isSecret && key === undefined);
        if (isSecret) event.currentTarget.reset();
        else void navigate({ to: "/requests/$requestId", params: { requestId } });
        if (key !== undefined) find(key);
      }}
    >
      <input
        name="id"
        aria-label="Any id of a request"
        placeholder="Find a request: req_…, chatcmpl-…, msg_…, resp_…, or an id of the client or provider"
        className="grow"
        size={46}
        autoComplete="off"
      />
      {hint !== undefined && (
        <span className="hint bad" role="alert">
          {hint}
        </span>
      )}
    </form>
  );
}
