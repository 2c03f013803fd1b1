/** A mail as text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The paths of the console that mail links to. The secret of a link follows `#`. */
type LinkTo = "/invitation" | "/sign-up" | "/reset" | "/sign-in";

/** Writes the mail that the console sends. */
export interface MailTexts {
  invitation(to: string, accountName: string, secret: string): Mail;
  signUp(to: string, secret: string): Mail;
  /** For a sign-up with the address of a person who has signed up before. */
  known(to: string): Mail;
  reset(to: string, secret: string): Mail;
  approved(to: string, accountName: string): Mail;
}

/** Creates the texts, whose links lead to the console of customers at `consoleUrl`. */
export function createMailTexts(consoleUrl: string): MailTexts {
  const link = (path: LinkTo, secret = "") =>
    `${consoleUrl}${path}${secret === "" ? "" : `#${secret}`}`;
  const host = new URL(consoleUrl).host;
  const ignore = "If you did not expect this mail, ignore it: nothing happens.";
  const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
    to,
    subject,
    text: `${paragraphs.join("\n\n")}\n`,
  });
  return {
    invitation: (to, accountName, secret) =>
      mail(
        to,
        `You are invited to ${accountName} at ${host}`,
        `You are invited to the account ${accountName}. To join it, open this link within 7 days:`,
        link("/invitation", secret),
        ignore,
      ),
    signUp: (to, secret) =>
      mail(
        to,
        `Confirm your e-mail address for ${host}`,
        "To confirm your address and choose a password, open this link within a day:",
        link("/sign-up", secret),
        ignore,
      ),
    known: (to) =>
      mail(
        to,
        `You have signed up at ${host} already`,
        "Somebody, perhaps you, wanted to sign up with your address, which is signed up already.",
        `Sign in, or choose another password, here: ${link("/sign-in")}`,
      ),
    reset: (to, secret) =>
      mail(
        to,
        `Choose another password for ${host}`,
        "To choose another password, open this link within an hour:",
        link("/reset", secret),
        ignore,
      ),
    approved: (to, accountName) =>
      mail(
        to,
        `Your account at ${host} is ready`,
        `Your account ${accountName} is ready. Sign in here: ${link("/sign-in")}`,
      ),
  };
}
