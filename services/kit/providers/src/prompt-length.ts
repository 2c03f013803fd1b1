/**
 * How vendors say that a prompt is too long. The errors of most have no code for it, and a provider may
 * pass on the words of another vendor: a proxy does, and a cloud that serves models of many.
 */
const tooLong =
  /(prompt|input) is too long|context (length|limit|window)|maximum (context|prompt) length|input token count .* exceeds|too many tokens/i;

/** Whether the message of a refusal says, in the words of any vendor, that the prompt is too long. */
export function saysTooLong(message: string): boolean {
  return tooLong.test(message);
}
