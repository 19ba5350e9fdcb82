/** Names the `<IfDefine>` sections because of which it is not known which virtual host answers. */
import { nameInTag, type NameInTag } from '../config/condition';
import type { Scope } from '../config/configuration';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { RequestPlace } from './model';
import { textOf, type Site } from './site';

/** A virtual host that httpd reads only with or without a name. */
export interface OptionalHost {
  /** Its tag: `<VirtualHost *:80>`. */
  readonly tag: string;
  readonly place: RequestPlace;
  /** The sections around it and what to do, as the rest of the sentence. */
  readonly advice: string;
}

/**
 * The first virtual host in an `<IfDefine>` section whose name may be set or not, and what to do.
 * A host for `port` comes first. Null if there is none.
 */
export function hostInIfDefine(site: Site, port: number): OptionalHost | null {
  const hosts = site.root.children.flatMap((host) => {
    const asked = host.kind === 'virtualhost' && host.activity === 'unknown' ? namesAround(site, host) : [];
    return asked.length > 0 ? [{ host, asked }] : [];
  });
  const first = hosts.find(({ host }) => isForPort(host, port)) ?? hosts[0];
  if (!first?.host.section) return null;
  const { host, asked } = first;
  const sections = asked.map(({ name, isNegated }) => `\`<IfDefine ${isNegated ? '!' : ''}${name}>\``).join(' and ');
  return {
    tag: `\`${textOf(first.host.section.open)}\``,
    place: site.placeOf(host),
    advice: `is in ${sections}: ${adviceFor(asked)}`,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The open names of the `<IfDefine>` sections around a host, outermost first. */
function namesAround({ configuration }: Site, { file, offset }: Scope): NameInTag[] {
  const asked: NameInTag[] = [];
  const descend = (list: List, base: number): void =>
    forEachItem(list, base, (item, start) => {
      if (!(item instanceof Section) || offset <= start || offset >= start + item.length) return;
      const tag = item.name === 'ifdefine' ? nameInTag(item.open, 4) : null;
      if (tag !== null && !configuration.defineFlags?.has(tag.name)) asked.push(tag);
      descend(item.body, start + item.open.length);
    });
  descend(file.tree.root, 0);
  return asked;
}

function isForPort({ words }: Scope, port: number): boolean {
  return words.some((word) => !/:\d+$/.test(word) || word.endsWith(`:${port}`));
}

function adviceFor(asked: readonly NameInTag[]): string {
  const names = [...new Set(asked.flatMap(({ name, isNegated }) => (isNegated ? [] : [name])))];
  if (names.length === 0) {
    const hidden = asked[0]!.name;
    return `if the server starts without -D ${hidden}, add --answer define:${hidden}=off`;
  }
  const options = names.map((name) => `-D ${name}`).join(' ');
  return `if the server starts with ${options}, add ${options}, or write the ${names.length === 1 ? 'name' : 'names'} into "defines" of .httpd-upgrade.json`;
}
