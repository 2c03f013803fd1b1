import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Icon } from "../../ui/icons.tsx";
import { Section } from "../../ui/screen.tsx";
import { stepsOf } from "./steps-of.ts";
import "./first-steps.css";

/** What a new gateway needs before a client gets a response. Nothing once all of it is there. */
export function FirstSteps() {
  const models = useQuery(OperatorService.method.listModels, {}).data?.models;
  const accounts = useQuery(OperatorService.method.listAccounts, { limit: 1 }).data?.accounts;
  const keys = useQuery(OperatorService.method.listKeys, { limit: 1 }).data?.keys;
  const requests = useQuery(OperatorService.method.listRequests, { limit: 1 }).data?.requests;
  if (models === undefined || accounts === undefined || keys === undefined) return null;
  if (requests === undefined) return null;
  const steps = stepsOf({ models, accounts, keys, requests });
  const next = steps.find(({ isDone }) => !isDone);
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
              <Link to={step.to} className={step === next ? "button primary" : "button"}>
                {step.button}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
