/** The macros that a walk has met so far, and what a Use line finds among them (modules/core/mod_macro.c: macro_section, undef_macro, use_macro). */
import { argumentsOf, type Line } from '../syntax/line';
import { refusedUse, substituted, type Macro, type RefusedUse } from './macro';

/** Macros that use macros, one inside the other. */
const MAX_USES = 100;

interface MacroInForce {
  readonly macro: Macro;
  /** The open conditions around it of which nobody knows whether they hold; null where it may have been taken back, or has a name that nobody knows all of. */
  readonly doubts: readonly Line[] | null;
}

/** Where a Use or UndefMacro line stands. */
export interface MacroPlace {
  /** Macros that are being used, one inside the other. */
  readonly uses: readonly Macro[];
  /** The open tags around of conditions of which nobody knows whether they hold, outermost first. */
  readonly doubts: readonly Line[];
}

/** What a Use finds: a text to read in its place (`isCertain` where no condition that nobody knows stands between), a refusal of the server, or null where nobody knows. */
export type FoundMacro =
  | { readonly macro: Macro; readonly text: string; readonly isCertain: boolean }
  | { readonly refused: RefusedUse }
  | null;

export class MacroTable {
  /** By name in lower case: all that were defined, taken back or not. */
  readonly all = new Map<string, Macro>();
  private readonly inForce = new Map<string, MacroInForce>();

  /** `isSure`: whether a name that no macro has here is certain to be no macro's. `hasOthers`: whether other files are known to define some. */
  constructor(
    private readonly isSure: (name: string) => boolean,
    private readonly hasOthers: boolean,
  ) {}

  /** `tag` is the open tag as the server reads it; `doubts` as in `MacroInForce`. Returns null for a tag without a name. */
  define(tag: Line, of: Omit<Macro, 'name' | 'parameters'>, doubts: readonly Line[] | null): Macro | null {
    const [name, ...words] = argumentsOf(tag);
    if (name === undefined) return null;
    // `/IgnoreEmptyArgs` and its like are no parameters (macro_section).
    while (words.length > 0 && tag.text[words[0]!.start] === '/') words.shift();
    const macro: Macro = { ...of, name: name.value, parameters: words.map((word) => word.value) };
    const key = macro.name.toLowerCase();
    this.inForce.set(key, { macro, doubts });
    this.all.set(key, macro);
    return macro;
  }

  /** An UndefMacro of which nobody knows whose name it has. */
  undefineAny(): void {
    for (const [name, { macro }] of this.inForce) this.inForce.set(name, { macro, doubts: null });
  }

  /** Returns the refusal where the server stops at the line. */
  undefine(line: Line, { doubts }: MacroPlace): RefusedUse | null {
    const name = (argumentsOf(line)[0]?.value ?? '').toLowerCase();
    const known = this.inForce.get(name);
    if (known && doubts.length > 0) this.inForce.set(name, { macro: known.macro, doubts: null });
    else this.inForce.delete(name);
    return !known && name !== '' && this.isSure(name) ? refusedUse('undefined', { name }) : null;
  }

  /** `hasRoom`: false where so much has been read that it must end. */
  find(name: string, values: readonly string[], at: MacroPlace, hasRoom: boolean): FoundMacro {
    if (name === '') return { refused: refusedUse('no-name', { name }) };
    const known = this.inForce.get(name.toLowerCase());
    if (!known) {
      if (!this.isSure(name)) return null;
      const isFirst = this.all.size === 0 && !this.hasOthers;
      return { refused: refusedUse(isFirst ? 'none-defined' : 'undefined', { name }) };
    }
    const { macro, doubts } = known;
    const isCertain = doubts !== null && doubts.every((open, index) => at.doubts[index] === open);
    const of = { name, macro, given: values.length };
    if (macro.parameters.length !== values.length) return isCertain ? { refused: refusedUse('arguments', of) } : null;
    // In a condition that is not known, such as `<IfDefine X>` in the macro, the line may not be read.
    if (at.uses.includes(macro))
      return at.doubts.length <= (doubts?.length ?? 0) ? { refused: refusedUse('recursive', of) } : null;
    if (at.uses.length >= MAX_USES || !hasRoom) return null;
    const text = substituted(macro, values);
    if (text === null) return null;
    if (typeof text === 'string') return { macro, text, isCertain };
    return isCertain ? { refused: refusedUse('too-long', { ...of, bodyRow: text.tooLong }) } : null;
  }
}
