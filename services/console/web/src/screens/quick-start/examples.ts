import { curlOf } from "../../format/curl.ts";

/** What the examples are filled in with. */
export interface ExampleValues {
  /** Where clients reach the gateway, without a path. */
  gatewayUrl: string;
  key: string;
  /** The alias of a chat model. */
  alias: string;
}

export interface Example {
  name: string;
  /** What is done with the code. */
  steps: readonly { text: string; code: string }[];
}

const hello = "Hello";

/** Returns how each client makes a first request. */
export function examplesOf(values: ExampleValues): readonly Example[] {
  return [curl(values), python(values), typescript(values), claudeCode(values), codex(values)];
}

function curl({ gatewayUrl, key, alias }: ExampleValues): Example {
  const body = { model: alias, messages: [{ role: "user", content: hello }] };
  const code = curlOf(`${gatewayUrl}/v1/chat/completions`, key, body);
  return { name: "curl", steps: [{ text: "Send a request:", code }] };
}

function python({ gatewayUrl, key, alias }: ExampleValues): Example {
  const code = `from openai import OpenAI

client = OpenAI(base_url=${quoted(`${gatewayUrl}/v1`)}, api_key=${quoted(key)})
stream = client.chat.completions.create(
    model=${quoted(alias)},
    messages=[{"role": "user", "content": "${hello}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`;
  const install = { text: "Install the package of OpenAI:", code: "pip install openai" };
  return { name: "Python", steps: [install, { text: "Stream a response:", code }] };
}

function typescript({ gatewayUrl, key, alias }: ExampleValues): Example {
  const code = `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${quoted(`${gatewayUrl}/v1`)},
  apiKey: ${quoted(key)},
});
const stream = await client.chat.completions.create({
  model: ${quoted(alias)},
  messages: [{ role: "user", content: "${hello}" }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}`;
  const install = { text: "Install the package of OpenAI:", code: "npm install openai" };
  return { name: "TypeScript", steps: [install, { text: "Stream a response:", code }] };
}

function claudeCode({ gatewayUrl, key, alias }: ExampleValues): Example {
  const code = [
    `export ANTHROPIC_BASE_URL=${gatewayUrl}`,
    `export ANTHROPIC_AUTH_TOKEN=${key}`,
    `export ANTHROPIC_MODEL=${alias}`,
    `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${alias}`,
    "claude",
  ].join("\n");
  return { name: "Claude Code", steps: [{ text: "Set the gateway, and start it:", code }] };
}

function codex({ gatewayUrl, key, alias }: ExampleValues): Example {
  const config = `model = ${quoted(alias)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${quoted(`${gatewayUrl}/v1`)}
env_key = "TOLLGATE_KEY"
wire_api = "responses"`;
  return {
    name: "Codex",
    steps: [
      { text: "Add this to ~/.codex/config.toml:", code: config },
      { text: "Set the key, and start it:", code: `export TOLLGATE_KEY=${key}\ncodex` },
    ],
  };
}

/** A JSON string is also one of Python, TypeScript and TOML. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
