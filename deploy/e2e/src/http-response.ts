/** The response to one plain HTTP request. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}
