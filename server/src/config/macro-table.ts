/**
 * Knows the macros that are defined so far, and finds the macro of a Use line
 * (modules/core/mod_macro.c: macro_section, undef_macro, use_macro).
 */
import { argumentsOf, type Line } from '../syntax/line';
import { refusedUse, bodyWithValues, type Macro, type RefusedUse } from './macro';

/** Maximum depth of nested uses of macros. */
const MAX_NESTED_USES = 100;

/** A macro that a Use line may find. */
interface DefinedMacro {
  readonly macro: Macro;
  /**
   * The open tags of the undecided conditions around the definition of the macro. Null if the macro
   * may have been undefined, or if a part of its name is unknown.
   */
  readonly unknownConditions: readonly Line[] | null;
}

/** The place of a Use or UndefMacro line. */
export interface MacroContext {
  /** The macros that are being expanded at this place, the outermost first. */
  readonly uses: readonly Macro[];
  /** The open tags of the undecided conditions around the place, outermost first. */
  readonly unknownConditions: readonly Line[];
}

/**
 * The result of a Use line: either the text to read in its place, or the reason why the server
 * refuses the line. Null if unknown. `isCertain`: whether a Use line certainly finds this macro;
 * false if the macro is defined in an undecided condition.
 */
export type FoundMacro =
  | { readonly macro: Macro; readonly text: string; readonly isCertain: boolean }
  | { readonly refusedUse: RefusedUse }
  | null;

/** The macros that are defined at the line that is read. */
export class MacroTable {
  /**
   * All macros that were ever defined, including those that an UndefMacro line removed, by name in
   * lower case.
   */
  readonly everDefinedMacros = new Map<string, Macro>();
  private readonly macroInForceByName = new Map<string, DefinedMacro>();

  /**
   * `isCertainlyNoMacro`: returns whether a name that is not in this table is certainly no macro.
   * `hasMacrosElsewhere`: whether other files are known to define macros.
   */
  constructor(
    private readonly isCertainlyNoMacro: (name: string) => boolean,
    private readonly hasMacrosElsewhere: boolean,
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
    this.macroInForceByName.set(lowerName, { macro, unknownConditions });
    this.everDefinedMacros.set(lowerName, macro);
    return macro;
  }

  /** Handles an UndefMacro line whose name is unknown. It may undefine any macro. */
  undefineAny(): void {
    for (const [name, { macro }] of this.macroInForceByName)
      this.macroInForceByName.set(name, { macro, unknownConditions: null });
  }

  /**
   * Handles an UndefMacro line. If the server stops at the line, returns the reason. Otherwise
   * null.
   */
  undefine(line: Line, { unknownConditions }: MacroContext): RefusedUse | null {
    const undefinedName = (argumentsOf(line)[0]?.value ?? '').toLowerCase();
    const macroInForce = this.macroInForceByName.get(undefinedName);
    if (macroInForce && unknownConditions.length > 0)
      this.macroInForceByName.set(undefinedName, { macro: macroInForce.macro, unknownConditions: null });
    else this.macroInForceByName.delete(undefinedName);
    return !macroInForce && undefinedName !== '' && this.isCertainlyNoMacro(undefinedName)
      ? refusedUse('undefined', { name: undefinedName })
      : null;
  }

  /** Finds the macro of a Use line. `hasRoom`: false if the limit for inserted text is reached. */
  findMacro(name: string, values: readonly string[], context: MacroContext, hasRoom: boolean): FoundMacro {
    if (name === '') return { refusedUse: refusedUse('no-name', { name }) };
    const macroInForce = this.macroInForceByName.get(name.toLowerCase());
    if (!macroInForce) {
      if (!this.isCertainlyNoMacro(name)) return null;
      const isNoneDefined = this.everDefinedMacros.size === 0 && !this.hasMacrosElsewhere;
      return { refusedUse: refusedUse(isNoneDefined ? 'none-defined' : 'undefined', { name }) };
    }
    const { macro, unknownConditions } = macroInForce;
    const isCertainlyInForce =
      unknownConditions !== null && unknownConditions.every((open, index) => context.unknownConditions[index] === open);
    const use = { name, macro, argumentCount: values.length };
    if (macro.parameters.length !== values.length)
      return isCertainlyInForce ? { refusedUse: refusedUse('arguments', use) } : null;
    // The macro uses itself. The server compares names, so a macro that is defined again inside
    // itself counts as the same macro. A Use line inside an undecided condition, such as `<IfDefine
    // X>` in the macro, is no error: the server may not read it then.
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
