import { passReasonText } from "@tollgate/core/pass-reasons";
import type { RequestRecord } from "@tollgate/proto/tollgate/v1/ledger";

import type { Attempt, PassedOverSlot } from "@tollgate/proto/tollgate/v1/usage";
import { countOf, formatMs } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { withCopy } from "../../ui/with-copy.tsx";
import { TrailStep } from "./trail-step.tsx";

/** The slots tried, each with its outcome, on one scale of time. */
export function AttemptsStep({ request }: { request: RequestRecord }) {
  const { attempts, passedOver, durationMs, firstTokenMs, errorCode } = request;
  const end = Math.max(1, durationMs, ...attempts.map((one) => one.startedMs + one.durationMs));
  return (
    <TrailStep
      title="Attempts"
      note={countOf(attempts.length, "slot of the chain tried", "slots of the chain tried")}
      result={errorCode === "" ? request.provider : <Badge tone="bad">{errorCode}</Badge>}
    >
      <ol className="attempts">
        {attempts.map((attempt) => (
          <AttemptLine
            key={`${attempt.startedMs} ${attempt.provider}`}
            attempt={attempt}
            end={end}
            firstTokenMs={attempt.errorCode === "" ? firstTokenMs : undefined}
          />
        ))}
      </ol>
      {passedOver.length > 0 && (
        <p className="passed-over quiet">
          Not called: {passedOver.map(describePassedOver).join(", ")}
        </p>
      )}
      <div className="scale" aria-hidden="true">
        <span>0 ms</span>
        <span>{formatMs(Math.round(end / 2))}</span>
        <span>{formatMs(end)}</span>
      </div>
    </TrailStep>
  );
}

function describePassedOver({ provider, upstreamModel, key, reason }: PassedOverSlot): string {
  const slot = `${provider}/${upstreamModel}${key === "" ? "" : ` with ${key}`}`;
  return `${slot} (${passReasonText(reason)})`;
}

function AttemptLine(props: { attempt: Attempt; end: number; firstTokenMs: number | undefined }) {
  const { attempt, end, firstTokenMs } = props;
  const isServed = attempt.errorCode === "";
  const percent = (ms: number) => `${(ms / end) * 100}%`;
  return (
    <li>
      <div className="attempt-name">
        <strong>{attempt.provider}</strong> <code className="quiet">{attempt.upstreamModel}</code>
        {attempt.key !== "" && <span className="quiet"> with the key {attempt.key}</span>}
      </div>
      <div className="attempt-outcome">
        {attempt.status > 0 && <span className="quiet number">HTTP {attempt.status}</span>}
        <Badge tone={isServed ? "good" : "bad"}>{isServed ? "served" : attempt.errorCode}</Badge>
      </div>
      <svg className="track-bar" height="14" aria-hidden="true">
        <rect className="track" width="100%" y="1" height="12" rx="3" />
        <rect
          className={isServed ? "served" : "failed"}
          x={percent(attempt.startedMs)}
          y="1"
          width={percent(Math.max(attempt.durationMs, end / 250))}
          height="12"
          rx="3"
        />
        {firstTokenMs !== undefined && (
          <rect className="first-token" x={percent(firstTokenMs)} width="2" height="14" />
        )}
      </svg>
      <div className="attempt-times number">
        {formatMs(attempt.durationMs)}
        <span className="quiet">
          {` from ${formatMs(attempt.startedMs)}`}
          {firstTokenMs !== undefined && `, first token at ${formatMs(firstTokenMs)}`}
        </span>
      </div>
      <AttemptReason attempt={attempt} />
    </li>
  );
}

/** What the provider said, and the ids by which it finds the call. */
function AttemptReason({ attempt }: { attempt: Attempt }) {
  const { reason, providerMessage, providerRequestId, providerResponseId } = attempt;
  return (
    <>
      {reason !== "" && (
        <p className="attempt-reason">
          {reason}
          {providerMessage !== "" && <q>{providerMessage}</q>}
        </p>
      )}
      {providerRequestId !== "" && (
        <p className="attempt-reason quiet">
          Provider’s request id {withCopy(providerRequestId, "provider’s request id")}
        </p>
      )}
      {providerResponseId !== "" && (
        <p className="attempt-reason quiet">
          Provider’s response id {withCopy(providerResponseId, "provider’s response id")}
        </p>
      )}
    </>
  );
}
