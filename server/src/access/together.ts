/** Which sections are converted together or not at all. */
import { addTo } from '../syntax/groups';
import type { Section } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { freedIn } from './freed';
import { notConverted, type NotConverted } from './not-converted';
import { isTouching, OLD_NAMES } from './section-access';
import { nameOf } from './section-name';
import { placeOf, type Entry } from './section-order';

/** What is decided of the sections of a server. A section in neither list does not change. */
export interface Decisions {
  readonly converted: ReadonlyMap<Entry, SectionLines>;
  readonly reasons: ReadonlyMap<Entry, NotConverted>;
  /** The sections that may apply to the same request. */
  readonly related: ReadonlyMap<Entry, ReadonlySet<Entry>>;
}

/**
 * The entries of one text: a file that is included more than once, or a .htaccess file under
 * several names.
 */
export type Copies = ReadonlyMap<Entry, readonly Entry[]>;

export function copiesOf(entries: readonly Entry[], { readings }: ConversionInput): Copies {
  const places = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { section, file, offset } = entry.scope;
    const isRepeated =
      (section !== null && file.readings > 1) || (readings.size > 0 && (readings.get(file.path) ?? 0) > 1);
    if (!isRepeated || !isTouching(entry.own)) continue;
    addTo(places, `${section === null ? 'file' : offset} ${file.path}`, entry);
  }
  return new Map([...places.values()].flatMap((list) => list.map((entry) => [entry, list] as const)));
}

/** The reasons, with those of copies: one text has to be right in each place. */
export function withCopies(
  { converted, reasons }: Decisions,
  copies: Copies,
  input: ConversionInput,
): Map<Entry, NotConverted> {
  const all = new Map(reasons);
  for (const list of new Set(copies.values())) {
    const refused = list.find((entry) => all.has(entry));
    const results = new Set(list.map((entry) => textOf(converted.get(entry))));
    const reason = refused ? all.get(refused)! : results.size > 1 ? differentLines(list, input) : null;
    if (reason !== null) for (const entry of list) all.set(entry, reason);
  }
  return all;
}

/** Pairs of sections, each in both directions. */
export type Related = Map<Entry, Set<Entry>>;

export function relate(related: Related, one: Entry, other: Entry): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const others = related.get(from);
    if (others) others.add(to);
    else related.set(from, new Set([to]));
  }
}

/** Relates the sections in each condition that is removed, too: they are converted together. */
export function relateFreed(related: Related, entries: readonly Entry[], freed: ReadonlySet<Section>): void {
  if (freed.size === 0) return;
  const firsts = new Map<Section, Entry>();
  for (const entry of entries) {
    if (!isTouching(entry.own)) continue;
    for (const { section } of freedIn(entry.scope, freed)) {
      const first = firsts.get(section);
      if (first === undefined) firsts.set(section, entry);
      else relate(related, entry, first);
    }
  }
}

/**
 * A number for all that is converted together: sections that share requests, also through others,
 * and copies.
 */
export function groupNumbers({ converted, reasons, related }: Decisions, copies: Copies): ReadonlyMap<Entry, number> {
  const numbers = new Map<Entry, number>();
  for (const start of converted.keys()) {
    if (numbers.has(start) || reasons.has(start)) continue;
    // Most sections share no request with another.
    if (!related.has(start) && !copies.has(start)) {
      numbers.set(start, start.order);
      continue;
    }
    const pending = [start];
    for (let entry = pending.pop(); entry; entry = pending.pop()) {
      if (numbers.has(entry) || reasons.has(entry)) continue;
      numbers.set(entry, start.order);
      for (const other of related.get(entry) ?? []) if (!numbers.has(other)) pending.push(other);
      for (const copy of copies.get(entry) ?? []) pending.push(copy);
    }
  }
  return numbers;
}

/**
 * Reasons for groups that look like lines of 2.2 afterwards. The program reads the files again,
 * beside old lines that stay: it would give `Require user x` the access of the old lines a second
 * time. So a group beside such a section is converted only if one of its sections has something
 * that 2.2 does not have.
 */
export function mistakableReasons(decisions: Decisions, copies: Copies): ReadonlyMap<Entry, NotConverted> {
  const { converted, reasons, related } = decisions;
  const found = new Map<Entry, NotConverted>();
  if (reasons.size === 0) return found;
  const numbers = groupNumbers(decisions, copies);
  const groups = new Map<number, Entry[]>();
  for (const entry of converted.keys()) if (!reasons.has(entry)) addTo(groups, numbers.get(entry)!, entry);
  const stays = (entry: Entry) => reasons.has(entry) || found.has(entry);
  for (const group of groups.values()) {
    const staying = group
      .flatMap((entry) => [...(related.get(entry) ?? [])])
      .find((other) => stays(other) && other.scope.lines.some(({ line }) => OLD_NAMES.has(line.name)));
    if (staying === undefined || group.some((entry) => entry.own.is24 || isKnownAs24(converted.get(entry)!))) continue;
    const reason = notConverted('beside-old-lines', placeOf(staying), nameOf(staying.scope));
    for (const entry of group) found.set(entry, reason);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

function differentLines(copies: readonly Entry[], { readings }: ConversionInput): NotConverted {
  const { scope } = copies[0]!;
  const { path } = scope.file;
  if (copies.every((copy) => copy.scope === scope)) return notConverted('hosts-differ', null, path);
  return notConverted(readings.has(path) ? 'links-differ' : 'includes-differ', null, path);
}

function textOf(lines: SectionLines | undefined): string {
  return lines ? `${lines.merging} ${JSON.stringify(lines.tree)}` : '';
}

/**
 * Whether 2.2 does not have something of it. Several requirements without a container are possible
 * in 2.2, too.
 */
function isKnownAs24({ tree, merging }: SectionLines): boolean {
  return (
    merging !== null || tree === null || (tree.type === 'any' ? tree.of : [tree]).some(({ type }) => type !== 'user')
  );
}
