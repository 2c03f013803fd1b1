import { Link } from "@tanstack/react-router";
import { Screen } from "../ui/screen.tsx";
import { Empty, Failure } from "../ui/states.tsx";

/** What is shown, in the frame of the screens, at an address without a screen. */
export function NotFound() {
  return (
    <Screen title="Not found">
      <Empty icon="alert" title="There is no such page">
        <Link to="/">Go to the overview</Link>
      </Empty>
    </Screen>
  );
}

/** What is shown where a screen could not be drawn or its script not loaded. */
export function ScreenFailure({ error }: { error: unknown }) {
  return (
    <div className="page">
      <Failure error={error} onRetry={() => location.reload()} />
    </div>
  );
}
