import { useNavigate } from "@tanstack/react-router";

/** Leads to a request by the id that the client received. */
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
      <input name="id" aria-label="Request id" placeholder="Go to request id…" className="grow" />
    </form>
  );
}
