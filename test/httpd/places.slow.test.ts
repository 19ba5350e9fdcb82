/**
 * Where directives are allowed: our answer and a real server's, for pairs of a directive and a
 * place. PLACES_COUNT is the number of pairs, PLACES_SEED the random seed; PLACES_COUNT=all tries
 * every pair.
 */
import assert from 'node:assert/strict';
import os from 'node:os';
import { misplacement, placeOf, type Misplacement, type Place } from '../../server/src/validation/place';
import { directives, type Directive } from '../../server/src/directives';
import { commandNamed } from '../../server/src/directives/commands';
import { Random } from '../support/random';
import { findHttpd, requireHttpd } from './harness';
import { verdictIn } from './config-test';
import { LEFT_OUT, lineOf, linesOf } from './sample-lines';
import { Sandbox } from './sandbox';

/** Container sections around, outermost first; limits and Require containers after a `|`. */
const PLACES = [
  '',
  'VirtualHost',
  'Directory',
  'DirectoryMatch',
  'Location',
  'LocationMatch',
  'Files',
  'FilesMatch',
  'Proxy',
  'If',
  'Directory Files',
  'Directory If',
  'VirtualHost Directory',
  'VirtualHost Location',
  'Directory|Limit',
  'Directory|RequireAny',
  'Location|LimitExcept',
];

const TAGS: Readonly<Record<string, string>> = {
  VirtualHost: '*:80',
  Directory: '"/x"',
  DirectoryMatch: '"^/x"',
  Location: '"/x"',
  LocationMatch: '"^/x"',
  Files: '"x"',
  FilesMatch: '"x"',
  Proxy: '"http://x/"',
  If: '"true"',
  Limit: 'GET',
  LimitExcept: 'GET',
  RequireAny: '',
};

/** What only a place can be the reason of. */
const MISPLACED = /not allowed (here|in .* context)|cannot occur within/;

const COUNT = process.env.PLACES_COUNT ?? '260';

describe('places of directives on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  it('are refused where we say so, and nowhere else', () =>
    compare((known) => {
      const all = known.flatMap((directive) => PLACES.map((place) => ({ directive, place, line: lineOf(directive) })));
      const random = new Random(Number(process.env.PLACES_SEED ?? 1));
      return COUNT === 'all' ? all : Array.from({ length: Number(COUNT) }, () => random.pick(all));
    }));

  it('are refused whatever the value is, where the function says so', () =>
    compare((known) => {
      const refusing = ['VirtualHost', 'Directory', 'Location', 'Files', 'Proxy', 'Directory|Limit']
        .flatMap((place) => known.map((directive) => ({ directive, place })))
        .filter(({ directive, place }) => verdict(directive, place)?.reason === 'inside');
      const all = refusing.flatMap(({ directive, place }) =>
        linesOf(directive).map((line) => ({ directive, place, line })),
      );
      const isFlag = ({ directive, place }: Pair) =>
        place === 'VirtualHost' && commandNamed(directive.name.toLowerCase(), directive.section)!.kind === 'FLAG';
      const random = new Random(Number(process.env.PLACES_SEED ?? 1));
      return COUNT === 'all'
        ? all
        : [...all.filter(isFlag), ...Array.from({ length: Math.round(Number(COUNT) / 3) }, () => random.pick(all))];
    }));

  async function compare(choose: (known: readonly Directive[]) => readonly Pair[]): Promise<void> {
    const installed = new Set(
      [...findHttpd()!.loadable]
        .filter((name) => !name.startsWith('mpm_'))
        .map((name) => `mod_${name}`)
        .concat('core', 'event', 'mod_unixd', 'mod_log_config', 'mod_logio', 'mod_version', 'mod_so', 'mod_watchdog'),
    );
    const known = directives().filter(
      ({ name, '2.4': facts }) =>
        facts?.arguments && facts.modules.some((module) => installed.has(module)) && !LEFT_OUT.has(name.toLowerCase()),
    );
    const pairs = choose(known);
    const different: string[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: Math.max(2, os.cpus().length) }, async () => {
        const sandbox = new Sandbox({}, 8080);
        try {
          while (next < pairs.length) {
            const { directive, place, line } = pairs[next++];
            sandbox.configure(within(place, line));
            const { error } = await verdictIn(sandbox);
            const isRefused =
              error !== undefined &&
              MISPLACED.test(error.message) &&
              error.message.toLowerCase().startsWith(`${directive.section ? '<' : ''}${directive.name}`.toLowerCase());
            const ours = verdict(directive, place);
            if (
              (ours !== null) !== isRefused &&
              !(ours !== null && error !== undefined && !MISPLACED.test(error.message))
            )
              different.push(
                `${line.trim()} in [${place}]: the server ${error?.message ?? 'takes it'}; ours ${JSON.stringify(ours)}`,
              );
          }
        } finally {
          sandbox.remove();
        }
      }),
    );
    assert.equal(different.length, 0, different.sort().join('\n'));
  }
});

interface Pair {
  readonly directive: Directive;
  readonly place: string;
  readonly line: string;
}

function verdict({ name, section }: Directive, place: string): Misplacement | null {
  return misplacement(commandNamed(name.toLowerCase(), section)!, placed(place)!, name.toLowerCase());
}

function within(place: string, line: string): string {
  const names = place.split(/[ |]/).filter(Boolean);
  return `${names.map((name) => `<${`${name} ${TAGS[name]}`.trim()}>\n`).join('')}${line}${names
    .reverse()
    .map((name) => `</${name}>\n`)
    .join('')}`;
}

function placed(place: string): Place | null {
  const [containers, limits = ''] = place.toLowerCase().split('|');
  return placeOf({
    containers: containers.split(' ').filter(Boolean),
    limits: limits.split(' ').filter(Boolean),
    isHtaccess: false,
    areAllContainersKnown: true,
    overrides: null,
  });
}
