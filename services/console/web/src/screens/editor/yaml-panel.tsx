import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import type { DraftEditing } from "./use-draft.ts";

const minRows = 16;

interface Props {
  draft: DraftEditing;
  /** The line to select. */
  line: number | undefined;
}

/** The text of the draft. The forms change it, and it changes the forms. */
export function YamlPanel({ draft, line }: Props) {
  const { text, change, problems } = draft;
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (line !== undefined && area.current !== null) selectLine(area.current, line);
  }, [line]);
  const lines = text.split("\n");
  const rows = Math.max(lines.length, minRows);
  const columns = Math.max(...lines.map((line) => line.length), 40) + 1;
  const wrong = new Set(problems.map(({ line }) => line));
  return (
    <section className="editor-yaml" aria-label="The catalog as YAML">
      <div className="section-head">
        <h2>YAML</h2>
        <span className="quiet">the same draft</span>
        <div className="actions">
          <OpenFile onText={change} />
          <Button look="quiet" icon="download" onClick={() => download(text)}>
            Download
          </Button>
        </div>
      </div>
      <div className="yaml">
        <div className="yaml-lines" aria-hidden="true">
          {lines.map((_, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity
              key={index}
              id={`yaml-line-${index + 1}`}
              className={wrong.has(index + 1) ? "bad" : undefined}
            >
              {index + 1}
            </span>
          ))}
        </div>
        {/* Its size is that of the text: what is around it scrolls, with the numbers of the lines. */}
        <textarea
          ref={area}
          aria-label="YAML of the draft"
          className="mono"
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          rows={rows}
          cols={columns}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      </div>
    </section>
  );
}

/** As much as the check of a draft takes. */
const maxBytes = 1024 * 1024;

/** Replaces the draft with the text of a file. */
function OpenFile({ onText }: { onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    setProblem(file.size > maxBytes ? `${file.name} has more than 1 MiB` : undefined);
    if (file.size <= maxBytes) onText(await file.text());
  };
  return (
    <>
      {problem && (
        <span className="hint bad" role="alert">
          {problem}
        </span>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept=".yaml,.yml,.json"
        onChange={({ target }) => {
          void open(target.files?.[0]);
          target.value = "";
        }}
      />
      <Button look="quiet" icon="upload" onClick={() => input.current?.click()}>
        Open a file
      </Button>
    </>
  );
}

function selectLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  document.getElementById(`yaml-line-${line}`)?.scrollIntoView({ block: "center" });
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: "catalog.yaml" });
  link.click();
  URL.revokeObjectURL(url);
}
