import { useMutation, useQuery } from "@connectrpc/connect-query";
import type { StoredContent } from "@tollgate/proto/tollgate/v1/content";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { errorMessageOf } from "../../calls/query-client.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Section } from "../../ui/screen.tsx";
import { Time } from "../../ui/time.tsx";
import { readableJson, textOfStream } from "./content-text.ts";

interface Props {
  requestId: string;
  account: string;
}

/**
 * The stored prompt and response of a request, for accounts that store them. They are read only when the
 * button is pressed, because each view is recorded: a query would read them again by itself.
 */
export function ContentPanel({ requestId, account }: Props) {
  const { canSeeContent } = useAccess();
  const found = useQuery(
    OperatorService.method.getAccount,
    { account },
    { enabled: canSeeContent },
  );
  const view = useMutation(OperatorService.method.viewRequestContent);
  const isStored = (found.data?.account?.account?.contentDays ?? 0) > 0;
  if (!canSeeContent || !isStored) return null;
  const content = view.data?.content;
  return (
    <Section title="Prompt and response" note="The audit log records each view.">
      {content === undefined ? (
        <div>
          <Button disabled={view.isPending} onClick={() => view.mutate({ requestId, account })}>
            Show prompt and response
          </Button>
        </div>
      ) : (
        <Content content={content} />
      )}
      {view.error && (
        <p className="form-error" role="alert">
          {errorMessageOf(view.error)}
        </p>
      )}
    </Section>
  );
}

function Content({ content }: { content: StoredContent }) {
  const delivered = textOfStream(content.response);
  return (
    <>
      <Text title="Request" text={readableJson(content.request)} isCut={content.isRequestCut} />
      {delivered !== undefined && (
        <Text title="Text of the response" text={delivered} isCut={content.isResponseCut} />
      )}
      <Text
        title={delivered === undefined ? "Response" : "Events of the response"}
        text={readableJson(content.response)}
        isCut={content.isResponseCut}
      />
      <p className="quiet">
        Deleted <Time at={content.expiresAt} />. Images, audio and other media are not stored.
      </p>
    </>
  );
}

function Text({ title, text, isCut }: { title: string; text: string; isCut: boolean }) {
  return (
    <div className="content-text">
      <h3>
        {title} {text !== "" && <CopyButton text={text} what={title.toLowerCase()} />}
      </h3>
      {text === "" ? (
        <p className="quiet">None is stored.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        <pre className="usage-block" tabIndex={0}>
          {text}
        </pre>
      )}
      {isCut && <p className="quiet">Only its start is stored.</p>}
    </div>
  );
}
