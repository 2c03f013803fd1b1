/**
 * The `format` of a reasoning detail that Claude has signed. Its signatures are valid on all of its
 * platforms.
 */
export const claudeSignatureFormat = "anthropic-claude-v1";
