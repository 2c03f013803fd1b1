import { Link } from "@tanstack/react-router";
import { Icon } from "../ui/icons.tsx";
import { Section } from "../ui/screen.tsx";
import { useFirstSteps } from "./use-first-steps.ts";
import "./first-steps.css";

/** What a new gateway needs before a client gets a response. Nothing once all of it is there. */
export function FirstSteps() {
  const { steps = [], next } = useFirstSteps() ?? {};
  if (next === undefined) return null;
  return (
    <Section title="First steps" note={`${steps.filter(({ isDone }) => isDone).length} of 5 done`}>
      <ol className="first-steps">
        {steps.map((step) => (
          <li key={step.title} className={step.isDone ? "done" : ""}>
            <span className="first-step-mark">
              {step.isDone && <Icon name="check" size={14} />}
              <span className="unseen">{step.isDone ? "Done:" : "To do:"}</span>
            </span>
            <span className="stack">
              <strong>{step.title}</strong>
              <span className="quiet">{step.text}</span>
            </span>
            {!step.isDone && (
              <Link {...step.link} className={step === next ? "button primary" : "button"}>
                {step.button}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
