/** Makes texts that are equal if two servers decide a request by the same lines. */
import type { ComputedAnswer } from './decide';
import type { Site } from './site';

/** The text of the sections that apply to a URL at one server, with their lines. */
export function sectionsText({ answer, sections }: ComputedAnswer): string {
  return JSON.stringify([
    answer.host.name,
    answer.target.kind,
    answer.access === 'unknown' || sections.length === 0 ? [answer.access, answer.why] : '',
    sections.map(({ scope, step, lines, folder }) => [
      scope.section?.open.text.trim() ?? '',
      step,
      folder,
      lines.map((configLine) => [
        configLine.enclosingSections.map(({ section }) => section.open.text.trim()),
        configLine.expandedLine.text.trim(),
      ]),
    ]),
  ]);
}

/**
 * The text of all lines of the main server, of its virtual hosts and of its `<If>` sections, but
 * not of the sections in them. Variables, rewriting and mapping are in these lines.
 */
export function serverText(site: Site): string {
  const scopes = [site.root, ...site.root.children.filter(({ kind }) => kind === 'virtualhost' || kind === 'if')];
  return JSON.stringify(
    scopes.map(({ section, lines }) => [
      section?.open.text.trim(),
      lines.filter(({ activity }) => activity !== 'inactive').map(({ expandedLine }) => expandedLine.text.trim()),
    ]),
  );
}
