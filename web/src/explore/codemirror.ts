import {
  autocompletion,
  type Completion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  tooltips,
  ViewPlugin,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { complete } from './completion';
import { clickHouse, type Dialect, duckDB } from './dialect';
import type { Range } from './mistake';
import type { Schema } from './schema';

/** What the editor asks of its page. */
export interface EditorPage {
  label: string;
  dialect: Dialect;
  schema: () => Schema | null;
  changed: (text: string) => void;
  run: (text: string) => void;
}

/** What the kinds of completions are called. */
const kinds: { [type: string]: string } = {
  class: 'table',
  property: 'column',
  namespace: 'path',
  constant: 'value',
  function: 'function',
  variable: 'name',
  keyword: 'keyword',
};

/** The kind of a completion, before its name. */
function kindOf({ type = '' }: Completion): HTMLElement {
  const kind = document.createElement('span');
  kind.className = 'cm-completionKind';
  kind.textContent = kinds[type] ?? type;
  return kind;
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

const clickHouseSQL = SQLDialect.define({
  backslashEscapes: true,
  hashComments: true,
  identifierQuotes: '`"',
  specialVar: '',
  caseInsensitiveIdentifiers: false,
  keywords: `${keywords} prewhere ilike regexp any final`,
  types:
    'String Bool Date DateTime DateTime64 Float32 Float64 Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Nullable LowCardinality Array Map Tuple',
});

const languages = new Map([
  [clickHouse, clickHouseSQL],
  [duckDB, duckDBSQL],
]);

/** Parameters such as {name:Type}, which the grammar does not know. */
const parameters = new MatchDecorator({
  regexp: /\{[A-Za-z_]\w*:[^{}]*\}/g,
  decorate: (add, from, to, _, view) => {
    const { name } = syntaxTree(view.state).resolveInner(from, 1);
    if (name !== 'String' && !name.endsWith('Comment')) add(from, to, Decoration.mark({ class: 'cm-parameter' }));
  },
});

const parameterColours = ViewPlugin.define(
  (view) => ({
    marks: parameters.createDeco(view),
    update(change) {
      this.marks = parameters.updateDeco(change, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);

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
    height: '100%',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px', borderRadius: '5px' },
  '.cm-scroller': {
    flex: '1',
    borderRadius: '5px',
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-content, .cm-gutter': { minHeight: '100%' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--partial)', outline: '1px solid var(--line-strong)' },
  '.cm-parameter, .cm-parameter span': { color: 'var(--code-parameter)', fontWeight: '600' },
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
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    minWidth: '380px',
    maxWidth: '600px',
    maxHeight: '18em',
  },
  '.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '8px', alignItems: 'baseline' },
  '.cm-completionLabel': { flex: 'none' },
  '.cm-completionKind': { flex: '0 0 68px', color: 'var(--muted)', fontSize: '11px' },
  'li[aria-selected] .cm-completionKind': { color: 'inherit' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-text)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': {
    flex: '1',
    marginLeft: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    textAlign: 'right',
    color: 'var(--muted)',
    fontStyle: 'normal',
  },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px' },
});

const setMistake = StateEffect.define<{ range: Range; problem: string } | null>();

/** The underlined mistake, until the text changes there. */
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (!effect.is(setMistake)) continue;
      if (effect.value === null || effect.value.range.to > transaction.newDoc.length) return Decoration.none;
      const { range, problem } = effect.value;
      const mark = Decoration.mark({ class: 'cm-mistake', attributes: { title: problem } });
      return Decoration.set(mark.range(range.from, range.to));
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Underlines a mistake in place of the one before, and moves the cursor there if wanted; null for none. */
export function underline(view: EditorView, range: Range | null, problem: string, goThere: boolean): void {
  view.dispatch({
    effects: setMistake.of(range === null || range.from === range.to ? null : { range, problem }),
    ...(range !== null && goThere ? { selection: { anchor: range.from }, scrollIntoView: true } : {}),
  });
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

/**
 * Replaces a selection by what is typed. Left to itself, the browser would keep the colours of the selection with an
 * inline style, which the Content-Security-Policy forbids.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
  const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
  if (!isHandled) view.dispatch(insert());
  return true;
}

function extensionsOf({ label, dialect, schema, changed, run }: EditorPage): Extension[] {
  return [
    keymap.of([
      {
        key: 'Mod-Enter',
        run: (view) => {
          run(view.state.doc.toString());
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
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
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
    sql({ dialect: languages.get(dialect) ?? googleSQL }),
    dialect === clickHouse ? parameterColours : [],
    syntaxHighlighting(colours),
    autocompletion({
      icons: false,
      addToOptions: [{ position: 10, render: kindOf }],
      override: [
        ({ state, pos, explicit }) => {
          const known = schema();
          const found = known === null ? null : complete({ sql: state.doc.toString(), dialect }, pos, known, explicit);
          return found === null ? null : { validFor: /^[@$]?\w*$/, ...found };
        },
      ],
    }),
    // Completions are placed in the window, not cut at the editor.
    tooltips({ position: 'fixed' }),
    mistakes,
    theme,
  ];
}
