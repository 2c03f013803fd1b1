import { Link } from "@tanstack/react-router";
import { Icon } from "../ui/icons.tsx";
import { useFirstSteps } from "./use-first-steps.ts";
import "./first-steps.css";

/** Leads from the screen of a first step to the next one, and says when all are done. */
export function NextStep() {
  const found = useFirstSteps();
  if (found === undefined) return null;
  const { steps, next, requestId } = found;
  if (next === undefined) {
    return (
      <p className="next-step" role="status">
        <Icon name="check" />
        <span>All first steps are done: a request has arrived.</span>
        <Link to="/requests/$requestId" params={{ requestId }}>
          Show the request
        </Link>
      </p>
    );
  }
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <p className="next-step">
      <Link to="/">First steps</Link>
      <span>{done} of 5 done. Next:</span>
      <Link {...next.link}>{next.title}</Link>
      <span className="quiet">{next.text}</span>
    </p>
  );
}
