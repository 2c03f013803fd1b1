import { models } from "../load/models.ts";
import { forwardPort } from "../port-forward.ts";
import type { Release } from "../release.ts";
import type { ClusterStep } from "./step.ts";

/** The page and the API of the console, through a forwarded port of its Service. */
export const consoleStep: ClusterStep = {
  name: "console",
  async run({ release }) {
    const { url, stop } = await forwardPort(release, "tollgate-console", 8081);
    try {
      const page = await fetch(url);
      if (!page.ok || !(await page.text()).includes("<title>")) throw new Error("there is no page");
      await signInByLink(release, url);
      const listed = await listByToken(release, url);
      return { note: `page, sign-in by a link, ${listed} models by a token, 401` };
    } finally {
      stop();
    }
  },
};

async function signInByLink(release: Release, url: string): Promise<void> {
  const { link } = JSON.parse(await release.tollgate(["operator", "link", "--json"])) as {
    link: string;
  };
  const [, linkSecret] = link.split("#");
  const signIn = () => call(url, "ConsoleService/SignIn", { linkSecret });
  const first = await signIn();
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  const session = await call(url, "ConsoleService/GetSession", {}, { cookie });
  if (!(await session.text()).includes('"OPERATOR_ROLE_OWNER"')) {
    throw new Error(`the link signed nobody in: ${first.status}, ${session.status}`);
  }
  const second = await signIn();
  if (second.status !== 401) throw new Error(`the link worked twice: ${second.status}`);
}

/** Returns how many models the operator's API lists. */
async function listByToken(release: Release, url: string): Promise<number> {
  const command = ["operator", "token", "create", "test", "--role", "viewer", "--json"];
  const { token } = JSON.parse(await release.tollgate(command)) as { token: string };
  const authorization = `Bearer ${token}`;
  const response = await call(url, "OperatorService/ListModels", {}, { authorization });
  const listed = (await response.json()) as { models: { alias: string }[] };
  const aliases = listed.models.map(({ alias }) => alias);
  if (!aliases.includes(models.json)) throw new Error(`the models are ${aliases.join(", ")}`);
  return aliases.length;
}

function call(url: string, name: string, body: object, headers: Record<string, string> = {}) {
  return fetch(`${url}/tollgate.v1.${name}`, {
    method: "POST",
    // A browser sends the origin of the page.
    headers: { "content-type": "application/json", origin: url, ...headers },
    body: JSON.stringify(body),
  });
}
