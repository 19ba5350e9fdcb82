/**
 * Settings that are also options of the command line: each works there, in the project file and in
 * the editor, and the engine gets the right one.
 */
import assert from 'node:assert/strict';
import { readArguments } from '../../server/src/cli/arguments';
import { engineOptions } from '../../server/src/settings/engine-options';
import { optionsFor, SETTING_OPTIONS } from '../../server/src/settings/options';
import { SETTINGS } from '../../server/src/settings/schema';
import { settingValues } from '../../server/src/settings/values';
import { otherThanDefault } from '../support/settings';

describe('settings as options', () => {
  it('are some', () => assert.ok(SETTING_OPTIONS.length >= 2));

  for (const { setting, name } of SETTING_OPTIONS) {
    const value = otherThanDefault(setting);
    const values = { [setting.name]: value };

    it(`${name} says ${setting.name}, and is said again for the next command`, () => {
      const words = optionsFor(values);
      assert.equal(words[0], name);
      const read = readArguments(['check', ...words, 'x.conf']);
      assert.deepEqual('settings' in read && read.settings, values, JSON.stringify(read));
    });

    it(`${setting.name} is an option of every command that reads a configuration`, () => {
      for (const command of ['check', 'fix', 'plan', 'migrate', 'verify', 'includes'])
        assert.notEqual(readArguments([command, ...optionsFor(values), 'x.conf']).command, 'wrong', command);
    });

    if (setting.manifest.type !== 'boolean')
      it(`${name} takes nothing else`, () => {
        const read = readArguments(['check', name, 'nonsense', 'x.conf']);
        assert.ok(read.command === 'wrong' && read.reason.includes(name), JSON.stringify(read));
      });
  }

  it('may be left out', () => {
    const read = readArguments(['check', 'x.conf']);
    assert.deepEqual('settings' in read && read.settings, {});
  });
});

describe('what the engine is told', () => {
  const names = Object.keys(engineOptions(settingValues({})));
  it('is told by settings that an option, too, says', () => {
    const changed = SETTINGS.filter((setting) => {
      const values = settingValues({}, { [setting.name]: otherThanDefault(setting) });
      return JSON.stringify(engineOptions(values)) !== JSON.stringify(engineOptions(settingValues({})));
    });
    assert.equal(changed.length, names.length);
    for (const { name } of changed)
      assert.ok(
        SETTING_OPTIONS.some(({ setting }) => setting.name === name),
        name,
      );
  });
});
