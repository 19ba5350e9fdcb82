/** Finds the `<IfDefine>` section that leaves open which virtual host answers. */
import { nameInTag, type NameInTag } from '../config/condition';
import type { Scope } from '../config/configuration';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { FileLine } from './model';
import { textOf, type Site } from './site';

/** A virtual host that httpd reads only if a name is set, or only if it is not set. */
export interface OptionalHost {
  /** The tag of the host in backticks. */
  readonly tag: string;
  readonly place: FileLine;
  /** The sections around the host, as the end of a sentence. What to do follows. */
  readonly advice: string;
}

/**
 * The first virtual host in an `<IfDefine>` section, if it is unknown whether the tested name is
 * set. A host for `port` is preferred. The result has advice for the user. Null if there is no such
 * host.
 */
export function hostInIfDefine(site: Site, port: number): OptionalHost | null {
  const hosts = site.root.children.flatMap((host) => {
    const unknownNames =
      host.kind === 'virtualhost' && host.activity === 'unknown' ? unknownNamesAround(site, host) : [];
    return unknownNames.length > 0 ? [{ host, unknownNames }] : [];
  });
  const firstHost = hosts.find(({ host }) => isForPort(host, port)) ?? hosts[0];
  if (!firstHost?.host.section) return null;
  const { host, unknownNames } = firstHost;
  const sections = unknownNames
    .map(({ name, isNegated }) => `\`<IfDefine ${isNegated ? '!' : ''}${name}>\``)
    .join(' and ');
  return {
    tag: `\`${textOf(firstHost.host.section.open)}\``,
    place: site.placeOf(host),
    advice: `is in ${sections}. ${adviceFor(unknownNames)}`,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The unknown names of the `<IfDefine>` sections around a host, the outermost first. */
function unknownNamesAround({ configuration }: Site, { file, offset }: Scope): NameInTag[] {
  const unknownNames: NameInTag[] = [];
  const descend = (list: List, base: number): void =>
    forEachItem(list, base, (item, start) => {
      if (!(item instanceof Section) || offset <= start || offset >= start + item.length) return;
      const tag = item.name === 'ifdefine' ? nameInTag(item.open, 4) : null;
      if (tag !== null && !configuration.defineFlags?.has(tag.name)) unknownNames.push(tag);
      descend(item.body, start + item.open.length);
    });
  descend(file.tree.root, 0);
  return unknownNames;
}

/** Whether a virtual host may be for a port. */
function isForPort({ words }: Scope, port: number): boolean {
  return words.some((word) => !/:\d+$/.test(word) || word.endsWith(`:${port}`));
}

/** What the user does, depending on whether the server starts with these names. */
function adviceFor(unknownNames: readonly NameInTag[]): string {
  const neededNames = [...new Set(unknownNames.flatMap(({ name, isNegated }) => (isNegated ? [] : [name])))];
  if (neededNames.length === 0) {
    const negatedName = unknownNames[0]!.name;
    return `If the server starts without -D ${negatedName}, add: --answer define:${negatedName}=off`;
  }
  const options = neededNames.map((name) => `-D ${name}`).join(' ');
  return `If the server starts with ${options}, add: ${options} (or write the ${neededNames.length === 1 ? 'name' : 'names'} into "defines" of .httpd-upgrade.json). If not, add: --answer define:${neededNames[0]}=off`;
}
