import { useMemo } from 'react';
import { type Token, type TokenKind, tokenise } from './sql';

/** SQL in colours, with its lines as they are. */
export function Sql({ text, dialect }: { text: string; dialect: string }) {
  const tokens = useMemo(() => tokenise(text, dialect), [text, dialect]);
  return <Code tokens={tokens} />;
}

/** Code in colours, with its lines as they are. */
export function Code({ tokens }: { tokens: readonly Token[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll.
    <pre className="code frame" tabIndex={0}>
      <code>
        {tokens.map((token, index) =>
          token.kind === 'other' ? (
            token.text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of a text never move.
            <span key={index} style={styleOf(token.kind)}>
              {token.text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}

function styleOf(kind: TokenKind) {
  return { color: `var(--code-${kind})`, fontWeight: kind === 'parameter' ? 600 : undefined };
}
