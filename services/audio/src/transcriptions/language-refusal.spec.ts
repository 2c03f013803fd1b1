import { expect, test } from "vitest";
import { LanguageRefusal } from "./language-refusal.ts";

function isPermanent(body: string): boolean {
  return new LanguageRefusal({ contentType: "", body: Buffer.from(body) }).isPermanent;
}

test.each([
  "502 Bad Gateway: language not served\n",
  "<html><body><h1>502</h1>Language <b>xx</b> is not supported</body></html>",
  '{"error":"unsupported_language"}',
  '{"detail":"lang=xx is not one of en, de"}',
  '{"detail":[{"loc":["query","lang"],"msg":"Field required"}]}',
])("a refusal that names the language is permanent: %s", (body) => {
  expect(isPermanent(body)).toBe(true);
});

test.each([
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<hr><center>nginx</center></html>",
  '<!DOCTYPE html><html class="no-js" lang="en-US"><title>Error 502</title>Bad gateway</html>',
  '{"error":{"message":"the upstream slang service is down"}}',
  "<".repeat(64 * 1024),
  "",
])("an outage is not permanent: %s", (body) => {
  expect(isPermanent(body)).toBe(false);
});
