/** Shows what the servers answer to a request. */
import { element, marked, replace } from './dom';
import type { Place, RequestAnswer } from './protocol';

/** A control that shows a line in the editor. */
export type PlaceButton = (place: Place) => HTMLElement;

export function showAnswer(parent: HTMLElement, answer: RequestAnswer | string, placeButton: PlaceButton): void {
  if (typeof answer === 'string') {
    replace(parent, element('p', { class: 'quiet' }, answer));
    return;
  }
  const link = (place: Place | null) => (place ? [' ', placeButton(place)] : []);
  const { decisions, hosts, target, sections, unknown } = answer;
  const summary = answer.isDifferent
    ? 'The servers answer differently.'
    : decisions[0]?.access === 'unknown'
      ? 'The answer is unknown: it depends on what the files do not show.'
      : `2.2 and 2.4 give the same answer: ${decisions[0]?.answer}.`;
  replace(
    parent,
    element('p', { class: answer.isDifferent ? 'differs' : '' }, summary),
    decisionTable(decisions, placeButton),
    element('h3', {}, 'Virtual host'),
    ...hosts.map(({ servers, name, why, place }) =>
      element(
        'p',
        {},
        hosts.length > 1 ? `${servers}: ` : '',
        element('code', {}, name),
        ': ',
        ...marked(`${why}.`),
        ...link(place),
      ),
    ),
    element('h3', {}, 'Where the URL leads'),
    element('p', {}, `${TARGETS[target.kind]} `, element('code', {}, target.path), ...link(target.place)),
    element('h3', {}, 'Sections, in the order of httpd'),
    sections.length === 0 ? element('p', { class: 'quiet' }, 'No section applies.') : null,
    element(
      'ol',
      { class: 'sections' },
      ...sections.map(({ name, applies, adds, ...place }) =>
        element(
          'li',
          {},
          element('code', {}, name),
          applies === true ? '' : applies === false ? ' does not apply' : ' may apply',
          ...link(place),
          adds.length > 0 ? element('pre', { tabindex: '0' }, element('code', {}, adds.join('\n'))) : null,
        ),
      ),
    ),
    unknown.length > 0 ? element('h3', {}, 'Assumed or not known') : null,
    element('ul', {}, ...unknown.map(({ what, place }) => element('li', {}, ...marked(what), ...link(place)))),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

function decisionTable(decisions: RequestAnswer['decisions'], placeButton: PlaceButton): HTMLElement {
  const rows = decisions.map(({ server, access, answer, why, because }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, server),
      element('td', { class: access === 'granted' ? 'allowed' : access === 'unknown' ? '' : 'denied' }, answer),
      element(
        'td',
        {},
        ...marked(why),
        ...because.flatMap((place) => [element('br'), element('code', {}, place.text.trim()), ' ', placeButton(place)]),
      ),
    ),
  );
  const head = ['Server', 'Answer', 'Because'].map((name) => element('th', { scope: 'col' }, name));
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Answers of the servers' },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)),
  );
}

const TARGETS: Readonly<Record<RequestAnswer['target']['kind'], string>> = {
  file: 'The file',
  directory: 'The directory',
  missing: 'No file is in this copy:',
  redirect: 'A redirect to',
  proxy: 'Another server:',
  handler: 'The handler',
  refused: 'httpd refuses the path',
  unknown: 'Unknown:',
};
