/** What a snippet needs to know of the server. */
export interface Server {
  /** Such as "http://127.0.0.1:8080". */
  origin: string;
  /** Whether it requires a token, which snippets take from a variable. */
  authenticated: boolean;
}
