import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { complete } from './completion';
import { type Dialect, duckDB } from './dialect';
import type { Range } from './mistake';
import type { Schema } from './schema';

/** What the editor asks of its page. */
export interface EditorPage {
  label: string;
  dialect: Dialect;
  schema: () => Schema | null;
  changed: (text: string) => void;
  run: () => void;
}

/** How long after Escape the Tab key leaves the editor. */
const leavingMs = 2000;

const keywords =
  'select from where group by order having limit offset with as join left right full inner cross on using unnest and or not in between like is null case when then else end distinct union all exists interval asc desc qualify over partition window rows range cast struct array except replace true false';

const googleSQL = SQLDialect.define({
  backslashEscapes: true,
  hashComments: true,
  doubleQuotedStrings: true,
  identifierQuotes: '`',
  specialVar: '@',
  keywords: `${keywords} safe_cast`,
  types: 'string int64 float64 numeric bignumeric bool timestamp datetime date time bytes json',
});

const duckDBSQL = SQLDialect.define({
  identifierQuotes: '"',
  specialVar: '$',
  keywords: `${keywords} try_cast filter exclude pivot unpivot asof positional ilike`,
  types: 'varchar text integer bigint hugeint double decimal boolean timestamp timestamptz date time blob json',
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-function)' },
  { tag: tags.special(tags.name), color: 'var(--code-parameter)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)' },
]);

const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '13px',
    borderRadius: '5px',
    minHeight: '194px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px', borderRadius: '5px' },
  '.cm-scroller': {
    flex: '1',
    borderRadius: '5px',
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    maxHeight: '50vh',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-content, .cm-gutter': { minHeight: '194px' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--partial)', outline: '1px solid var(--line-strong)' },
  '.cm-mistake': {
    textDecoration: 'underline wavy var(--danger)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '15em' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px' },
});

const setMistake = StateEffect.define<Range | null>();

/** The underlined mistake, until the text changes there. */
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (!effect.is(setMistake)) continue;
      const range = effect.value;
      return range === null || range.to > transaction.newDoc.length
        ? Decoration.none
        : Decoration.set(Decoration.mark({ class: 'cm-mistake' }).range(range.from, range.to));
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Underlines a mistake in place of the one before; null for none. */
export function underline(view: EditorView, range: Range | null): void {
  view.dispatch({
    effects: setMistake.of(range),
    ...(range === null ? {} : { selection: { anchor: range.from }, scrollIntoView: true }),
  });
}

/** Replaces the text, unless it is the same. */
export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Inserts a text in place of the selection. */
export function insertText(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text));
  view.focus();
}

/**
 * Opens an editor in a shadow tree: there the editor's styles are style sheets that scripts construct, which the
 * Content-Security-Policy of the pages allows.
 */
export function openEditor(root: ShadowRoot, text: string, page: EditorPage): EditorView {
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: text, extensions: extensionsOf(page) }),
  });
}

function extensionsOf({ label, dialect, schema, changed, run }: EditorPage): Extension[] {
  return [
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          run();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
    // Escape, then Tab leaves the editor, also if Escape has closed something.
    EditorView.domEventObservers({
      keydown: ({ key }, view) => {
        if (key === 'Escape') view.setTabFocusMode(leavingMs);
      },
    }),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of('  '),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString());
    }),
    sql({ dialect: dialect === duckDB ? duckDBSQL : googleSQL }),
    syntaxHighlighting(colours),
    autocompletion({
      icons: false,
      override: [
        ({ state, pos, explicit }) => {
          const known = schema();
          const found = known === null ? null : complete({ sql: state.doc.toString(), dialect }, pos, known, explicit);
          return found === null ? null : { ...found, validFor: /^[@$]?\w*$/ };
        },
      ],
    }),
    mistakes,
    theme,
  ];
}
