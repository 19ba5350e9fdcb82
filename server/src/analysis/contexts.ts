/**
 * Makes the contexts of lines for the rules. Equal contexts are one object, so caches can compare
 * contexts by identity.
 */
import { activityOf, activityInside } from '../config/activity';
import type { Distribution } from '../config/distribution';
import type { FileContext } from '../config/file-context';
import { isTransparent, sectionKind, type SectionKind } from '../config/sections';
import type { Target } from '../config/target';
import type { Context } from '../rules/rule';
import type { Section } from '../syntax/tree';
import { placeOf } from '../validation/place';
import type { LineResult } from './results';
import type { ChecksOfLine } from './rule-table';

/** A context, with the values that the engine caches for all lines in it. */
export interface EngineContext extends Context {
  /** The engine that made this context. */
  readonly engine: object;
  /**
   * The rules that check a line. The array is indexed by the kind of line; the key of each map is
   * the name of the line.
   */
  readonly checksByKind: readonly Map<string, ChecksOfLine>[];
  /** The facts about sections in this context, by the name of the section. */
  readonly sectionFactsByName: Map<string, SectionFacts>;
  /**
   * The result of a line without findings. All such lines in the context share this object. Null
   * before the first such line.
   */
  emptyResult: LineResult | null;
}

/** The facts that all sections of one name have in common in a context. */
export interface SectionFacts {
  /** The kind of the section. */
  readonly kind: SectionKind;
  /** Whether the lines of the section form a scope of their own. */
  readonly isScope: boolean;
  /**
   * The context of the lines in the section. Null if it depends on the arguments of the section.
   */
  readonly contextInside: EngineContext | null;
}

/** The parts of a context that can differ between the lines of a file. */
export type ContextParts = Pick<Context, 'containers' | 'limits' | 'activity' | 'isHtaccess' | 'fileContext'>;

/**
 * Maximum number of cached names. It is needed because in a file that is no configuration, each
 * line may begin with another word.
 */
const MAX_CACHED_NAMES = 4096;
/** Maximum number of cached contexts for each file context. */
const MAX_CACHED_CONTEXTS = 10_000;

/** The contexts of an engine. Equal contexts are the same object. */
export class Contexts {
  private readonly contextByKey = new Map<string, EngineContext>();
  private readonly contextsByFileContext = new WeakMap<FileContext, Map<string, EngineContext>>();

  constructor(
    private readonly engine: object,
    private readonly target: Target,
    private readonly distribution: Distribution | null,
  ) {}

  /** The context with these parts. Equal parts give the same object. */
  contextOf(parts: ContextParts): EngineContext {
    const { containers, limits, activity, isHtaccess, fileContext } = parts;
    const contexts = fileContext === null ? this.contextByKey : this.contextsIn(fileContext);
    const contextKey = `${isHtaccess ? 'h' : 's'} ${activity} ${containers.join(' ')} | ${limits.join(' ')}`;
    let context = contexts.get(contextKey);
    if (!context) {
      context = {
        containers,
        limits,
        activity,
        isHtaccess,
        fileContext,
        target: this.target,
        distribution: this.distribution ?? fileContext?.distribution ?? null,
        place: placeOfContext(parts),
        engine: this.engine,
        checksByKind: [new Map(), new Map(), new Map(), new Map(), new Map()],
        sectionFactsByName: new Map(),
        emptyResult: null,
      };
      if (contexts.size > MAX_CACHED_CONTEXTS) contexts.clear();
      contexts.set(contextKey, context);
    }
    return context;
  }

  /** The facts about sections with this name in a context. */
  factsOfSection(name: string, context: Context): SectionFacts {
    const { sectionFactsByName } = context as EngineContext;
    let cachedFacts = sectionFactsByName.get(name);
    if (cachedFacts === undefined) {
      const kindOfSection = sectionKind(name);
      const isScope = !isTransparent(kindOfSection);
      const contextInside =
        kindOfSection === 'conditional'
          ? null
          : isScope
            ? this.contextOf({ ...context, containers: [...context.containers, name], limits: [] })
            : this.contextOf({ ...context, limits: [...context.limits, name] });
      cachedFacts = cacheValue(sectionFactsByName, name, { kind: kindOfSection, isScope, contextInside });
    }
    return cachedFacts;
  }

  /** The context of the lines of a section. */
  contextInside(section: Section, context: Context): Context {
    const { contextInside } = this.factsOfSection(section.name, context);
    if (contextInside !== null) return contextInside;
    const activityOfCondition = context.fileContext?.activityOf(section) ?? activityOf(section.open, context.target);
    const activity = activityInside(context.activity, activityOfCondition);
    return activity === context.activity ? context : this.contextOf({ ...context, activity });
  }

  /** The cached contexts of lines in files with this file context, by the key of `contextOf`. */
  private contextsIn(fileContext: FileContext): Map<string, EngineContext> {
    let contexts = this.contextsByFileContext.get(fileContext);
    if (!contexts) this.contextsByFileContext.set(fileContext, (contexts = new Map()));
    return contexts;
  }
}

/**
 * Adds a value to a cache and returns it. The keys come from a file and can be many, so a full
 * cache is emptied first.
 */
export function cacheValue<Value>(map: Map<string, Value>, name: string, value: Value): Value {
  if (map.size >= MAX_CACHED_NAMES) map.clear();
  map.set(name, value);
  return value;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The place of lines in this context: which directives httpd allows there. Null if that is unknown,
 * as in a macro or in an unknown section.
 */
function placeOfContext({ containers, limits, isHtaccess, fileContext }: ContextParts): Context['place'] {
  return placeOf({
    containers,
    limits,
    isHtaccess,
    areAllContainersKnown: fileContext !== null && fileContext.containers !== null,
    overrides: fileContext?.overrides ?? null,
    overrideList: fileContext?.overrideList,
  });
}
