/** The settings of an editor, and which of them are used. */
import assert from 'node:assert/strict';
import { SETTINGS } from '../../server/src/settings/schema';
import { settingValues } from '../../server/src/settings/values';

const DEFAULTS = Object.fromEntries(SETTINGS.map(({ name, manifest }) => [name, manifest.default]));

/** The setting's value, and what is noted. */
function given(name: keyof ReturnType<typeof settingValues>, value: unknown): [unknown, string[]] {
  const notes: string[] = [];
  const said = name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
  const { [name]: counts, ...others } = settingValues({ ...said }, {}, (note) => notes.push(note));
  const { [name]: _, ...rest } = DEFAULTS;
  assert.deepEqual(others, rest, 'no other setting changes');
  return [counts, notes.map((note) => note.replace(/^httpdUpgrade\.\S+ is /, ''))];
}

describe('the values of settings', () => {
  it('are the defaults where nobody says anything, or null', () => {
    assert.deepEqual(settingValues({}), DEFAULTS);
    const nothing = Object.fromEntries(SETTINGS.map(({ name }) => [name.split('.')[0], null]));
    assert.deepEqual(
      settingValues(nothing, {}, () => assert.fail()),
      DEFAULTS,
    );
  });

  for (const [name, value, counts] of [
    ['target', '2.4.6', '2.4.6'],
    ['distribution', 'rhel', 'rhel'],
    ['accessControl.source', '2.4', '2.4'],
    ['accessControl.assumeStandalone', true, true],
    ['maxFindings', 1, 1],
    ['maxFindings', 7.9, 7],
    ['roots', ['a', 1, '', 'b', null], ['a', 'b']],
    ['pathMap', { '/a': 'b', '/c': 1 }, { '/a': 'b' }],
    ['severity', { 'max-clients': 'off', x: 'loud', y: 1 }, { 'max-clients': 'off' }],
    ['inlayHints.inherited', true, true],
    ['codeLens', true, true],
  ] as const) {
    it(`${name} is ${JSON.stringify(value)}`, () => assert.deepEqual(given(name, value), [counts, []]));
  }

  for (const [name, most, value] of [
    ['roots', 100, Array.from({ length: 20_000 }, (_, i) => `conf/${i}.conf`)],
    ['builtinModules', 1000, Array.from({ length: 30_000 }, (_, i) => `mod_${i}`)],
    ['defines', 30_000, Array.from({ length: 60_000 }, (_, i) => `X${i}`)],
  ] as const) {
    it(`${name} has at most ${most} entries`, () =>
      assert.deepEqual(given(name, value), [
        value.slice(0, most),
        [`httpdUpgrade.${name} has more than ${most} entries. The others are not used: remove them.`],
      ]));
  }

  it('a text in a list is at most 4096 characters long', () =>
    assert.deepEqual(given('roots', ['a', 'x'.repeat(5000)]), [['a'], []]));

  for (const [name, value, note] of [
    ['target', '2.2', '"2.2". It must be 2.4, or 2.4 with a number, for example 2.4.57. The default counts: "2.4".'],
    ['target', 2.4, '2.4. It must be 2.4, or 2.4 with a number, for example 2.4.57. The default counts: "2.4".'],
    [
      'distribution',
      'x',
      '"x". It must be "auto", "debian", "rhel", "windows", "ihs", "ohs" or "upstream". The default counts: "auto".',
    ],
    ['maxFindings', 0, '0. It must be a whole number from 1. The default counts: 1000.'],
    ['maxFindings', '5', '"5". It must be a whole number from 1. The default counts: 1000.'],
    ['fadeInactive', 'no', '"no". It must be true or false. The default counts: true.'],
    ['roots', 'a', '"a". It must be a list. The default counts: [].'],
    ['pathMap', ['a'], '["a"]. It must be an object. The default counts: {}.'],
    ['serverRoot', 1, '1. It must be text. The default counts: "".'],
    [
      'serverRoot',
      'x'.repeat(5000),
      `"${'x'.repeat(198)}…. It must be at most 4096 characters long. The default counts: "".`,
    ],
    ['pathMap', 'x'.repeat(2_000_000), `"${'x'.repeat(198)}…. It must be an object. The default counts: {}.`],
  ] as const) {
    it(`${name} is not ${JSON.stringify(value).slice(0, 40)}`, () =>
      assert.deepEqual(given(name, value), [DEFAULTS[name], [note]]));
  }

  it('are those of the team first', () => {
    const { target, codeLens } = settingValues({ target: '2.4.6', codeLens: true }, { codeLens: false });
    assert.deepEqual([target, codeLens], ['2.4.6', false]);
  });
});
