/**
 * The macros that are defined so far, and which of them a Use line finds (modules/core/mod_macro.c:
 * macro_section, undef_macro, use_macro).
 */
import { argumentsOf, type Line } from '../syntax/line';
import { refusedUse, bodyWithValues, type Macro, type RefusedUse } from './macro';

/** Limit for nested uses of macros. */
const MAX_NESTED_USES = 100;

interface DefinedMacro {
  readonly macro: Macro;
  /**
   * The conditions around the definition of the macro that are unknown. Null if the macro may have
   * been undefined, or if a part of its name is unknown.
   */
  readonly unknownConditions: readonly Line[] | null;
}

/** The place of a Use or UndefMacro line. */
export interface MacroContext {
  /** The macros whose Use lines contain this place. */
  readonly uses: readonly Macro[];
  /** The open tags of the undecided conditions around it, outermost first. */
  readonly unknownConditions: readonly Line[];
}

/**
 * The result of a Use line: the text to read in its place (`isCertain` if no unknown condition is
 * around it), or the refusal of the server. Null if unknown.
 */
export type FoundMacro =
  | { readonly macro: Macro; readonly text: string; readonly isCertain: boolean }
  | { readonly refusedUse: RefusedUse }
  | null;

export class MacroTable {
  /** All macros that were ever defined, also undefined ones, by name in lower case. */
  readonly everDefined = new Map<string, Macro>();
  private readonly macrosInForce = new Map<string, DefinedMacro>();

  /**
   * `isCertainlyNoMacro`: whether a name that this table does not have is certainly no macro.
   * `hasOthers`: whether other files are known to define macros.
   */
  constructor(
    private readonly isCertainlyNoMacro: (name: string) => boolean,
    private readonly hasOthers: boolean,
  ) {}

  /**
   * Defines a macro. `tag`: the opening tag as the server reads it. `unknownConditions`: as in
   * `DefinedMacro`. Returns null for a tag without a name.
   */
  define(tag: Line, body: Omit<Macro, 'name' | 'parameters'>, unknownConditions: readonly Line[] | null): Macro | null {
    const [name, ...words] = argumentsOf(tag);
    if (name === undefined) return null;
    // `/IgnoreEmptyArgs` and similar words are no parameters (macro_section).
    while (words.length > 0 && tag.text[words[0]!.start] === '/') words.shift();
    const macro: Macro = { ...body, name: name.value, parameters: words.map((word) => word.value) };
    const lowerName = macro.name.toLowerCase();
    this.macrosInForce.set(lowerName, { macro, unknownConditions });
    this.everDefined.set(lowerName, macro);
    return macro;
  }

  /** Handles an UndefMacro line whose name is unknown: any macro may be undefined then. */
  undefineAny(): void {
    for (const [name, { macro }] of this.macrosInForce)
      this.macrosInForce.set(name, { macro, unknownConditions: null });
  }

  /** Handles an UndefMacro line. Returns the refusal if the server stops there. */
  undefine(line: Line, { unknownConditions }: MacroContext): RefusedUse | null {
    const undefinedName = (argumentsOf(line)[0]?.value ?? '').toLowerCase();
    const macroInForce = this.macrosInForce.get(undefinedName);
    if (macroInForce && unknownConditions.length > 0)
      this.macrosInForce.set(undefinedName, { macro: macroInForce.macro, unknownConditions: null });
    else this.macrosInForce.delete(undefinedName);
    return !macroInForce && undefinedName !== '' && this.isCertainlyNoMacro(undefinedName)
      ? refusedUse('undefined', { name: undefinedName })
      : null;
  }

  /** Finds the macro of a Use line. `hasRoom`: false if the limit for inserted text is reached. */
  findMacro(name: string, values: readonly string[], context: MacroContext, hasRoom: boolean): FoundMacro {
    if (name === '') return { refusedUse: refusedUse('no-name', { name }) };
    const macroInForce = this.macrosInForce.get(name.toLowerCase());
    if (!macroInForce) {
      if (!this.isCertainlyNoMacro(name)) return null;
      const isNoneDefined = this.everDefined.size === 0 && !this.hasOthers;
      return { refusedUse: refusedUse(isNoneDefined ? 'none-defined' : 'undefined', { name }) };
    }
    const { macro, unknownConditions } = macroInForce;
    const isCertainlyInForce =
      unknownConditions !== null && unknownConditions.every((open, index) => context.unknownConditions[index] === open);
    const use = { name, macro, argumentCount: values.length };
    if (macro.parameters.length !== values.length)
      return isCertainlyInForce ? { refusedUse: refusedUse('arguments', use) } : null;
    // The Use line may be inside an undecided condition, such as `<IfDefine X>` in the macro, and
    // then not be read. The server compares names, so a macro that is defined again inside itself
    // is the same macro.
    if (context.uses.some((each) => each.name.toLowerCase() === name.toLowerCase()))
      return context.unknownConditions.length <= (unknownConditions?.length ?? 0)
        ? { refusedUse: refusedUse('recursive', use) }
        : null;
    if (context.uses.length >= MAX_NESTED_USES || !hasRoom) return null;
    const bodyText = bodyWithValues(macro, values);
    if (bodyText === null) return null;
    if (typeof bodyText === 'string') return { macro, text: bodyText, isCertain: isCertainlyInForce };
    return isCertainlyInForce ? { refusedUse: refusedUse('too-long', { ...use, bodyRow: bodyText.tooLong }) } : null;
  }
}
