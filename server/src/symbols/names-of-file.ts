/**
 * What a file says that other files of its configuration may name or inherit, as plain data: no tree and no text is kept for it.
 * Gathered once when a file is read; of files that are open, when somebody asks (kept with the tree).
 */
import { isTransparent, sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { LineKind, rawArguments, spelledName, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section, type Item } from '../syntax/tree';
import { readDefining, type DefinitionKind } from './definitions';

/** A line that defines a name. */
export interface Named {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** What it stands for, as far as the line says. */
  readonly value: string;
  /** 0-based. */
  readonly row: number;
}

/** A line of the file's top level: what holds for the scope that the file is read in. */
export interface TopLine {
  /** As written, with its arguments; long ones cut. */
  readonly text: string;
  readonly row: number;
  /** The open tags of the conditions around it, outermost first. */
  readonly conditions: readonly Line[];
}

export interface FileNames {
  readonly defined: readonly Named[];
  /** By directive in lower case: the last ones that may be in force, in order. */
  readonly top: ReadonlyMap<string, readonly TopLine[]>;
  /** Whether some line says AllowOverride or AllowOverrideList. */
  readonly overrides: boolean;
  /** Whether all of the file was read. */
  readonly isComplete: boolean;
}

/** Files read since the start of the program, for the tests that count. */
export const work = counters({ files: 0 });

export function namesOf({ root }: Tree): FileNames {
  let names = known.get(root);
  if (!names) known.set(root, (names = gather(root)));
  return names;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Lines of a file, and of these so many of one kind: nobody writes more by hand. */
const MAX_LINES = 50_000;
const MAX_DEFINED = 1000;

/** Of one name, under different conditions. */
const MAX_TOP = 4;

const MAX_TEXT = 120;

const NO_CONDITIONS: readonly Line[] = [];
const NO_TOP: ReadonlyMap<string, readonly TopLine[]> = new Map();
export const NOTHING_SAID: FileNames = { defined: [], top: NO_TOP, overrides: false, isComplete: true };

const known = cacheOf<List, FileNames>();

function gather(root: List): FileNames {
  work.files++;
  const defined: Named[] = [];
  const top = new Map<string, TopLine[]>();
  let overrides = false;
  let left = MAX_LINES;
  const define = (line: Line, row: number) => {
    readDefining(line, (kind, name, value = '') => {
      if (name !== '' && defined.length < MAX_DEFINED)
        defined.push({ kind, name: apart(name), value: apart(shortened(value)), row });
    });
  };
  const say = (line: Line, row: number, conditions: readonly Line[]) => {
    const said: TopLine = {
      text: apart(shortened(`${spelledName(line)} ${rawArguments(line).value}`.trimEnd())),
      row,
      conditions,
    };
    const before = top.get(line.name);
    if (!before || conditions.length === 0) top.set(line.name, [said]);
    else if (before.length < MAX_TOP) before.push(said);
    else before[MAX_TOP - 1] = said;
  };
  /** `conditions` is null within sections that are scopes of their own. */
  const walk = (list: List, start: number, conditions: readonly Line[] | null): number => {
    let row = start;
    for (const child of list.children as readonly (Item | List)[]) {
      if (left <= 0) return row;
      if (child instanceof List) walk(child, row, conditions);
      else if (child instanceof Section) {
        left--;
        const kind = sectionKind(child.name);
        define(child.open, row);
        if (kind === 'opaque') {
          if (conditions) say(child.open, row, conditions);
        } else
          walk(
            child.body,
            row + child.open.breaks,
            conditions && isTransparent(kind)
              ? kind === 'conditional'
                ? [...conditions, child.open]
                : conditions
              : null,
          );
      } else if (child.kind === LineKind.Directive) {
        left--;
        define(child, row);
        if (child.name === 'allowoverride' || child.name === 'allowoverridelist') overrides = true;
        if (conditions && child.name !== 'loadmodule') say(child, row, conditions);
      }
      row += child.breaks;
    }
    return row;
  };
  walk(root, 0, NO_CONDITIONS);
  if (defined.length === 0 && top.size === 0 && !overrides && left > 0) return NOTHING_SAID;
  return { defined, top: top.size > 0 ? top : NO_TOP, overrides, isComplete: left > 0 };
}

export function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** A string of its own: a piece of a long one keeps all of it in memory. */
function apart(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
