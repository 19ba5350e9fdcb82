import assert from 'node:assert/strict';
import { annotated } from '../support/rules';

const marked = (text: string) => annotated(text, { rule: 'require-quoted-provider' });

describe('require-quoted-provider', () => {
  it('marks the word that 2.2 read with its quotes', () => {
    assert.equal(
      marked('<Directory /a>\n  Require "valid-user"\n  Require \'group\' staff\n</Directory>\n'),
      '<Directory /a>\n  Require "valid-user"\n#         ^^^^^^^^^^^^ warning require-quoted-provider/quoted none\n  Require \'group\' staff\n#         ^^^^^^^ warning require-quoted-provider/quoted none\n</Directory>\n',
    );
  });

  it('leaves alone what means the same in both, what 2.2 did not have, and what nobody knows', () => {
    const clean =
      'Require valid-user\nRequire user "ann"\nRequire "ip" 192.0.2.1\nRequire "all" granted\nRequire not "host" a.example\nRequire "${KIND}" x\nRequire\nRequire "User" ann\n';
    assert.equal(marked(clean), clean);
  });
});
