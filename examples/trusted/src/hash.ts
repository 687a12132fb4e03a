import type { DocumentNode } from 'graphql';

/** Returns the hash of a generated document, as in the manifest. The server rejects any other document. */
export function hashOf(document: DocumentNode): string {
  return (document as { __meta__?: { hash: string } }).__meta__?.hash ?? '';
}
