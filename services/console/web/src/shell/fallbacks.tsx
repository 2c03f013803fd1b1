import { Link } from "@tanstack/react-router";
import { Empty, Failure } from "../ui/states.tsx";

/** What is shown, in the frame of the screens, at an address without a screen. */
export function NotFound() {
  return (
    <>
      <title>Not found – Tollgate</title>
      <h1 className="unseen">Not found</h1>
      <Empty icon="alert" title="There is no such page">
        <Link to="/">Go to the overview</Link>
      </Empty>
    </>
  );
}

/** What is shown where a screen could not be drawn or its script not loaded. */
export function ScreenFailure({ error }: { error: unknown }) {
  return <Failure error={error} onRetry={() => location.reload()} />;
}
