import { useNavigate } from "@tanstack/react-router";

/** Leads to a request by any of its ids. */
export function FindRequest() {
  const navigate = useNavigate();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const requestId = String(new FormData(event.currentTarget).get("id")).trim();
        if (requestId === "") return;
        void navigate({ to: "/requests/$requestId", params: { requestId } });
      }}
    >
      <input
        name="id"
        aria-label="Any id of a request"
        placeholder="Find a request: req_…, chatcmpl-…, msg_…, resp_…, or an id of the client or provider"
        className="grow"
      />
    </form>
  );
}
