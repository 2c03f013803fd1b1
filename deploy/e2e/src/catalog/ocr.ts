import { after, reader, slot } from "./entries.ts";

/** OCR by a provider whose form is sent on unchanged. */
export function ocrModels() {
  return [
    reader("test-read", ""),
    reader("test-read-archival", "", { lane: "archival" }),
    reader("test-read-pages", "pages=7"),
    reader("test-read-list", "pages=4&page_list"),
    reader("test-read-measured", "running=0", { unreported: "measured" }),
    reader("test-read-slow", "delay_ms=3500"),
    {
      ...reader("test-read-many", ""),
      chain: [{ ...slot("long_timeout", "many"), path: "/ocr" }],
    },
    reader("test-read-failing", "status=500"),
    reader("test-read-refused", "status=400&message=no%20thanks"),
    reader("test-read-erring", "status=200"),
    reader("test-read-failed", "job_status=Failed&pages=2"),
    {
      ...reader("test-read-erring-first", ""),
      chain: [
        { ...slot("sim", "erring"), path: "/ocr?simulate=status%3D200" },
        { ...slot("sim", "reading"), path: "/ocr?simulate=pages%3D2" },
      ],
    },
    reader("test-read-nameless", "no_job_id"),
    reader("test-read-at-once", "running=0&pages=12"),
    reader("test-read-again", "running=0&pages=12&job_id=job-1"),
    {
      ...reader("test-read-numbered", ""),
      chain: [
        {
          ...slot("sim", "first"),
          path: "/ocr?simulate=running%3D0%26pages%3D3%26job_number%3D71",
        },
        { ...slot("sim", "second"), path: "/ocr" },
      ],
    },
    reader("test-read-error", "running=0&job_status=ERROR"),
    reader("test-read-odd", "running=0&job_status=paused"),
    reader("test-read-finished", "running=0&job_status=finished&pages=2"),
    // A hold of 0.7 seconds.
    reader("test-read-brief", "running=0&pages=3", { job_hold_hours: 0.0002 }),
    reader("test-read-brief-running", "running=1&pages=3", { job_hold_hours: 0.0002 }),
    {
      ...reader("test-read-failover", ""),
      chain: [
        { ...slot("sim", "first"), path: "/ocr?simulate=status%3D503" },
        { ...slot("sim", "second"), path: "/ocr?simulate=running%3D0%26pages%3D2" },
      ],
    },
    reader("test-read-internal", "", { visibility: "internal" }),
    after("nowhere", reader("test-read-after-nowhere", "")),
    after("busy", reader("test-read-after-busy", "")),
    { ...reader("test-read-dead", ""), chain: [slot("nowhere", "x")] },
  ];
}

/** OCR by Mistral. The commands are behind the model id, also those of jobs. */
export function mistralOcrModels() {
  const named = (commands: string) => slot("mistral", `mistral-ocr-latest${commands}`);
  const forwarded = (commands: string) => {
    const path = `/ocr?simulate=${encodeURIComponent(commands)}`;
    return { ...slot("sim", commands), path, pricing: { per: 1_000, price: "2.00" } };
  };
  const second = forwarded("pages=2&running=0");
  const mistral = (name: string, chain: object[]) => ({
    ...reader(`test-mistral-read${name}`, ""),
    chain,
  });
  return [
    mistral("", [named("")]),
    mistral("-pages", [named("?pages=29")]),
    mistral("-no-usage", [named("?pages=4&no_usage")]),
    mistral("-slow", [named("?delay_ms=3500")]),
    mistral("-limited", [named("?status=429"), second]),
    mistral("-overloaded", [named("?status=503"), second]),
    mistral("-tripped", [named("?status=529"), second]),
    mistral("-second", [forwarded("status=503"), named("")]),
    mistral("-down", [named("?refuse")]),
    mistral("-failing", [named("?status=500")]),
    mistral("-invalid", [named("?status=400&message=too%20many%20pages"), second]),
    mistral("-pageless", [named("?no_choices")]),
    mistral("-at-once", [named("?running=0&pages=12")]),
    mistral("-file", [named("?running=0&pages=3&no_list")]),
    mistral("-job-failed", [named("?running=0&job_status=FAILED")]),
    mistral("-job-late", [named("?running=0&job_status=TIMEOUT_EXCEEDED")]),
    mistral("-job-cancelled", [named("?running=0&job_status=CANCELLED")]),
    mistral("-job-refused", [named("?running=0&request_status=422&message=no%20page%20found")]),
    mistral("-job-lost", [named("?running=0&request_status=500&no_list")]),
    mistral("-job-nameless", [named("?no_job_id")]),
  ];
}
