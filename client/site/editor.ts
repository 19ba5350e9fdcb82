/**
 * The two editors of the page: the user's text, and what it is after the fixes. Colours, problems,
 * hovers and completion come from the worker, which has the parser of the extension.
 */
import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
  type DecorationSet,
} from '@codemirror/view';
import { ask } from './core';
import { element, marked } from './dom';
import { rendered } from './markdown';
import type { Problem, Token } from './protocol';

/** What the editor asks of the page. */
export interface EditorOptions {
  readonly parent: HTMLElement;
  /** The name of the shown file. */
  readonly fileName: () => string;
  /** After a change by the user. */
  readonly onChange: () => void;
  /** Applies a fix of a problem of the last check. */
  readonly onFix: (problem: number, fix: number) => void;
}

/** Longer texts are not coloured: the colours would take longer than the check. */
const MOST_COLOURED = 1_000_000;

export class ConfigurationEditor {
  readonly view: EditorView;
  /** The line end of the shown text; null if it is the editor's own. */
  private separator: string | undefined;

  constructor(private readonly options: EditorOptions) {
    this.view = new EditorView({ parent: options.parent, state: this.stateOf('') });
  }

  get text(): string {
    return this.view.state.sliceDoc();
  }

  /** Shows another text, without a history. */
  show(text: string): void {
    this.separator = separatorOf(text);
    this.view.setState(this.stateOf(text));
    this.view.scrollDOM.scrollTop = 0;
    this.colour();
  }

  /** Replaces parts of the text, so that the user can undo it. */
  edit(edits: readonly { readonly start: number; readonly end: number; readonly text: string }[]): void {
    const { state } = this.view;
    const at = offsets(state);
    this.view.dispatch({
      changes: edits.map(({ start, end, text }) => ({ from: at(start), to: at(end), insert: state.toText(text) })),
      userEvent: 'input.fix',
    });
  }

  showProblems(problems: readonly Problem[]): void {
    const at = offsets(this.view.state);
    const shown = problems.flatMap((problem, index): Diagnostic[] => [
      {
        from: at(problem.start),
        to: Math.max(at(problem.end), at(problem.start)),
        severity: problem.severity,
        message: problem.message,
        renderMessage: () => problemText(problem),
        actions: problem.fixes.map((fix, each) => ({
          name: fix.safety === 'safe' ? fix.title : `${fix.title} · check first`,
          apply: () => this.options.onFix(index, each),
        })),
      },
    ]);
    this.view.dispatch(setDiagnostics(this.view.state, shown));
  }

  goTo(offset: number): void {
    const position = offsets(this.view.state)(offset);
    this.view.dispatch({
      selection: { anchor: position },
      effects: EditorView.scrollIntoView(position, { y: 'center' }),
    });
    this.view.focus();
  }

  private stateOf(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        this.separator === undefined ? [] : EditorState.lineSeparator.of(this.separator),
        shared('Your configuration'),
        placeholder('Paste an Apache configuration here'),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        autocompletion({ override: [(context) => this.completions(context)], icons: false }),
        hoverTooltip((view, position) => this.hover(view, position)),
        keymap.of([
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          // After Escape, Tab moves to the next control until a key changes the text.
          { key: 'Escape', run: (view) => (view.setTabFocusMode(true), false) },
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          update.view.setTabFocusMode(false);
          this.colour();
          this.options.onChange();
        }),
      ],
    });
  }

  private colour(): void {
    void colour(this.view);
  }

  private async hover(view: EditorView, position: number) {
    const { state } = view;
    const shown = await ask('hover', {
      file: this.options.fileName(),
      text: state.sliceDoc(),
      offset: unitsBefore(state, position),
    });
    if (!shown || view.state.doc !== state.doc) return null;
    const at = offsets(state);
    return {
      pos: at(shown.start),
      end: at(shown.end),
      above: true,
      create: () => ({ dom: element('div', { class: 'hover', tabindex: '0' }, rendered(shown.markdown)) }),
    };
  }

  private async completions(context: CompletionContext): Promise<CompletionResult | null> {
    const { state, pos, explicit } = context;
    const found = await ask('complete', {
      file: this.options.fileName(),
      text: state.sliceDoc(),
      offset: unitsBefore(state, pos),
      isAsked: explicit,
    });
    if (!found || context.aborted) return null;
    return {
      from: offsets(state)(found.from),
      options: found.items.slice(0, 500).map(({ label, text, detail, isOld }, index) => ({
        label,
        apply: text,
        detail,
        boost: -index / 100,
        type: isOld ? 'deprecated' : 'text',
      })),
      validFor: /^[\w<>/+-]*$/,
    };
  }
}

/** The text after the fixes, with the changes marked. It cannot be edited. */
export class ResultView {
  private readonly view: EditorView;
  private shown = '';

  constructor(parent: HTMLElement) {
    this.view = new EditorView({ parent });
  }

  show(before: string, after: string): void {
    const key = JSON.stringify([before, after]);
    if (key === this.shown) return;
    this.shown = key;
    const { scrollTop } = this.view.scrollDOM;
    const extensions = [
      shared('What 2.4 needs'),
      EditorState.readOnly.of(true),
      placeholder('The text for 2.4 appears here'),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      before === after
        ? []
        : unifiedMergeView({
            original: before.replace(/\r\n?/g, '\n'),
            mergeControls: false,
            syntaxHighlightDeletions: false,
            collapseUnchanged: { margin: 4, minSize: 8 },
            diffConfig: { scanLimit: 500, timeout: 300 },
          }),
    ];
    this.view.setState(EditorState.create({ doc: after, extensions }));
    this.view.scrollDOM.scrollTop = scrollTop;
    void colour(this.view);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** What both editors have. */
function shared(label: string): Extension {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    tokenColours,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      spellcheck: 'false',
      autocapitalize: 'off',
      translate: 'no',
    }),
  ];
}

/** The line end to keep: an editor changes mixed ones, and lone carriage returns. */
function separatorOf(text: string): string | undefined {
  if (!text.includes('\r')) return undefined;
  return /(?<!\r)\n|\r(?!\n)/.test(text) ? '\n' : '\r\n';
}

/** Turns offsets of the text into positions of the editor, in which a line end has one unit. */
function offsets(state: EditorState): (offset: number) => number {
  const { doc, lineBreak } = state;
  if (lineBreak.length === 1) return (offset) => Math.min(offset, doc.length);
  return (offset) => {
    let [low, high] = [1, doc.lines];
    // The last line that starts at or before the offset.
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (doc.line(middle).from + middle - 1 <= offset) low = middle;
      else high = middle - 1;
    }
    const line = doc.line(low);
    return Math.min(offset - (low - 1), line.to);
  };
}

/** The reverse of `offsets`, for one position. */
function unitsBefore(state: EditorState, position: number): number {
  return position + (state.lineBreak.length - 1) * (state.doc.lineAt(position).number - 1);
}

const setTokens = StateEffect.define<readonly Token[]>();

const tokenColours = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setTokens)) return decorations(effect.value, transaction.state);
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const marks = new Map<string, Decoration>();

function decorations(tokens: readonly Token[], state: EditorState): DecorationSet {
  const at = offsets(state);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { start, end, type } of tokens) {
    let mark = marks.get(type);
    if (!mark) {
      const name = type.split(' ').map((each) => `token-${each}`);
      marks.set(type, (mark = Decoration.mark({ class: name.join(' ') })));
    }
    const [from, to] = [at(start), at(end)];
    if (from < to) builder.add(from, to, mark);
  }
  return builder.finish();
}

/** Views whose colours are asked for now. */
const colouring = new WeakSet<EditorView>();

/** Asks for the colours of a text, and shows them; once more if the text changes meanwhile. */
async function colour(view: EditorView): Promise<void> {
  if (colouring.has(view)) return;
  colouring.add(view);
  for (let done = null as EditorState['doc'] | null; done !== view.state.doc; ) {
    const { state } = view;
    done = state.doc;
    if (done.length === 0 || done.length > MOST_COLOURED) break;
    const tokens = await ask('tokens', state.sliceDoc());
    if (view.state.doc === done) view.dispatch({ effects: setTokens.of(tokens) });
  }
  colouring.delete(view);
}

function problemText({ message, consequence, help, cause, rule }: Problem): Node {
  return element(
    'div',
    { class: 'problem-text' },
    element('p', {}, ...marked(message)),
    element(
      'p',
      { class: 'quiet' },
      ...marked(`httpd 2.4: ${consequence}. ${help ?? cause ?? ''} `),
      element('a', { href: `rules/${rule}.html`, target: '_blank' }, rule),
    ),
  );
}
