import { Link } from "@tanstack/react-router";
import { useSession } from "../../calls/use-session.ts";
import { curlOf } from "../../format/curl.ts";
import { parseMoney } from "../../format/money.ts";
import { countOf, formatMs } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Money } from "../../ui/money.tsx";
import type { Answer, ChatTurn } from "./chats.ts";

/** A message, what the model answered, and what that cost and took. */
export function TurnView({ turn: { request, answer } }: { turn: ChatTurn }) {
  const { gatewayUrl = "" } = useSession().data ?? {};
  const base = gatewayUrl || "https://gateway.example.com";
  const body = { ...request, stream: true };
  const curl = curlOf(`${base}/v1/chat/completions`, "$TOLLGATE_KEY", body);
  return (
    <li className="turn">
      <p className="question">{request.messages.at(-1)?.content}</p>
      <div className="answer" aria-busy={answer.state === "arriving"}>
        {answer.thinking !== "" && (
          <details>
            <summary>Thinking</summary>
            <p className="quiet">{answer.thinking}</p>
          </details>
        )}
        {answer.text}
        {answer.state === "arriving" && <span className="cursor" aria-hidden="true" />}
      </div>
      {answer.failure !== undefined && (
        <p className="form-error" role="alert">
          {answer.failure}
        </p>
      )}
      <div className="answer-facts">
        <AnswerFacts answer={answer} />
        <CopyButton text={curl} what="as curl" />
      </div>
    </li>
  );
}

function AnswerFacts({ answer }: { answer: Answer }) {
  const { state, usage, firstTokenMs, durationMs, requestId } = answer;
  const cost = usage && parseMoney(usage.cost);
  return (
    <>
      {state === "arriving" && <span>Arriving…</span>}
      {state === "stopped" && <Badge tone="warn">Stopped</Badge>}
      {cost !== undefined && (
        <strong data-cost="">
          <Money nano={cost} places={6} />
        </strong>
      )}
      {durationMs !== undefined && <span>{formatMs(durationMs)}</span>}
      {firstTokenMs !== undefined && <span>first token {formatMs(firstTokenMs)}</span>}
      {usage && <span>{countOf(usage.promptTokens + usage.completionTokens, "token")}</span>}
      {state !== "arriving" && requestId !== "" && (
        <Link to="/requests/$requestId" params={{ requestId }}>
          Request
        </Link>
      )}
    </>
  );
}
