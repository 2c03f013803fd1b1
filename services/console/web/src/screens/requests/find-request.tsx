import { useNavigate } from "@tanstack/react-router";
import { useFindKey } from "../../calls/use-find-key.ts";
import { isKeyText } from "../../search/key-text.ts";

/** Leads to a request by any of its ids. The text of a key leads to the key. */
export function FindRequest() {
  const navigate = useNavigate();
  const { find, problem } = useFindKey();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const requestId = String(new FormData(event.currentTarget).get("id")).trim();
        if (requestId === "") return;
        if (!isKeyText(requestId)) {
          void navigate({ to: "/requests/$requestId", params: { requestId } });
          return;
        }
        event.currentTarget.reset();
        find(requestId);
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
      {problem !== undefined && (
        <span className="hint bad" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}
