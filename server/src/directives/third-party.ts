/**
 * Directives of modules that do not come with httpd, as Debian packages them (server/scripts/generate-third-party.mjs reads them from
 * the modules' own command tables).
 */
import { lazy } from '../syntax/memory';
import { addTo } from '../syntax/groups';

export interface ThirdPartyModule {
  /** As in LoadModule: `wsgi_module`. */
  readonly identifier: string;
  /** As in `<IfModule>`: `mod_wsgi.c`. */
  readonly source: string;
  /** `mod_wsgi.so`, without what packages add for versions. */
  readonly file: string;
  /** Debian's. */
  readonly package: string;
  /** In the modules' spelling, sections with their `<`. */
  readonly directives: readonly string[];
}

/** The modules that have a directive of that name, in lower case, a section without its `<`; empty where none is known to. */
export function thirdPartyModules(name: string, isSection: boolean): readonly ThirdPartyModule[] {
  return byDirective().get(isSection ? `<${name}` : name) ?? NONE;
}

/** All that are known. */
export function allThirdPartyModules(): readonly ThirdPartyModule[] {
  return modules();
}

/** The module by its identifier, source file, file, or the name of these without `.c`, `.so`, `_module`; in any case. */
export function thirdPartyModule(name: string): ThirdPartyModule | undefined {
  return byName().get(bare(name));
}

// ---------------------------------------------------------------------------------------------------------------------

const NONE: readonly ThirdPartyModule[] = [];

const modules = lazy(() => require('./generated/third-party.json') as readonly ThirdPartyModule[]);

const byDirective = lazy((): ReadonlyMap<string, readonly ThirdPartyModule[]> => {
  const directives = new Map<string, ThirdPartyModule[]>();
  for (const known of modules()) {
    for (const directive of known.directives) {
      const key = directive.toLowerCase().replace(/>$/, '');
      addTo(directives, key, known);
    }
  }
  return directives;
});

const byName = lazy((): ReadonlyMap<string, ThirdPartyModule> => {
  const names = new Map<string, ThirdPartyModule>();
  for (const known of modules())
    for (const name of [known.file, known.source, known.identifier]) names.set(bare(name), known);
  return names;
});

function bare(name: string): string {
  return name
    .replace(/^.*[/\\]/, '')
    .toLowerCase()
    .replace(/\.(so|c|cpp|dll)$/, '')
    .replace(/_module$/, '')
    .replace(/^mod_|^lib/, '');
}
