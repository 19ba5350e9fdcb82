/**
 * Macros where they are used: the server refuses exactly the lines that we call errors, and both
 * name the same lines of macros. The rest of the configuration is known and has no macros.
 */
import assert from 'node:assert/strict';
import type { FileInfo } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { summarize } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import type { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';
import { findingsInFiles } from '../support/configurations';
import { configTest, requireHttpd } from './harness';
import { modulesOf } from './mutants/compare';
import { ourErrors, serverErrors } from './verdict';

const MODULES = [
  'access_compat',
  'alias',
  'auth_basic',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_host',
  'authz_user',
  'dir',
  'env',
  'macro',
  'mime',
  'rewrite',
  'setenvif',
];

const ROOT = '/srv/httpd.conf';

/** Each a configuration; the server's answer is asked for, nothing is written here. */
const CASES: Readonly<Record<string, string>> = {
  'a macro that is not there': 'Use Nowhere a b\n',
  'a macro that is not there, beside one that is': '<Macro M>\nServerSignature Off\n</Macro>\nUse N\nUse M\n',
  'a macro defined behind its use': 'Use M\n<Macro M>\nServerSignature Off\n</Macro>\nUse M\n',
  'no name': '<Macro M>\nServerSignature Off\n</Macro>\nUse\nUse ""\n',
  'too few arguments, and too many': '<Macro M $a>\nServerSignature $a\n</Macro>\nUse M\nUse M Off On\nUse M Off\n',
  'an empty argument': '<Macro M $a>\nOptions $a\n</Macro>\n<Directory /x>\nUse M ""\n</Directory>\n',
  'several words in one argument':
    '<Macro M $a>\nOptions $a\n</Macro>\n<Directory /x>\nUse M "Indexes Wrong"\nUse M "+Indexes -ExecCGI"\n</Directory>\n',
  'names without case': '<mAcRo LogLess $On>\nServerSignature $On\n</mAcRo>\nuSE lOGlESS never\nUSE LOGLESS Off\n',
  'odd characters in a name':
    '<Macro "a b!/é*" %x>\nServerSignature %x\n</Macro>\nUse "a b!/é*" never\nUse \'a b!/é*\' off\n',
  'a directive that may not stand there':
    '<Macro Site $root>\n<Directory $root>\nDocumentRoot $root\n</Directory>\n</Macro>\nUse Site htdocs\n<VirtualHost *:80>\nUse Site htdocs\n</VirtualHost>\n',
  'right in one place and wrong in another':
    '<Macro M>\nServerName x.example.org\n</Macro>\nUse M\n<VirtualHost *:80>\nUse M\n</VirtualHost>\n<Location /x>\nUse M\n</Location>\n',
  'access lines in a virtual host, and limits':
    '<Macro M>\nRequire group admins\n</Macro>\n<Macro N>\n<Limit GET>\nRequire all granted\n</Limit>\n</Macro>\n<VirtualHost *:80>\nUse M\nUse N\n<Location /x>\nUse M\nUse N\n</Location>\n</VirtualHost>\n',
  'Options of two kinds':
    '<Macro M $o>\nOptions Indexes $o\nRequire ip $o\n</Macro>\n<Directory /x>\nUse M +ExecCGI\n</Directory>\n',
  'in a limit':
    '<Macro M>\nOptions None\nRequire all granted\n</Macro>\n<Directory /x>\n<Limit GET>\nUse M\n</Limit>\nUse M\n</Directory>\n',
  'comments and continued lines':
    '<Macro M $a>\n  # a comment\n\n\n  Options None \\\n    $a\n # more\n  ServerSignature $a\n</Macro>\n<Directory /x>\nUse M Wrong\n</Directory>\n',
  'several refused lines':
    '<Macro M>\nNoSuchThing a\nServerSignature never\nServerSignature Off\nHostnameLookups maybe\n</Macro>\nUse M\n',
  'macros in macros':
    '<Macro Inner $x>\nServerSignature Off\n\nServerSignature $x\n</Macro>\n<Macro Outer $y>\nUse Inner Off\nUse Inner $y\n</Macro>\nUse Outer Off\nUse Outer never\n',
  'a macro that uses itself': '<Macro M>\nUse m\n</Macro>\nUse M\n',
  'two that use each other':
    '<Macro A>\nUse B\n</Macro>\n<Macro B>\nServerSignature Off\nUse A\n</Macro>\nUse B\nUse A\n',
  'a macro that is undefined within another': '<Macro M>\nServerSignature Off\nUse Nowhere\n</Macro>\nUse M\n',
  'a macro within a macro':
    '<Macro M $a>\n<Macro N $b>\nServerSignature $b\n</Macro>\n</Macro>\nUse M x\nUse N never\nUse N Off\n',
  'wrong arguments within':
    '<Macro A $x>\nServerSignature $x\n</Macro>\n<Macro B>\nUse A\nUse A Off Off\n</Macro>\nUse B\n',
  'taken back': '<Macro M>\nServerSignature Off\n</Macro>\nUse M\nUndefMacro M\nUse M\n',
  'taken back twice': '<Macro M>\nServerSignature Off\n</Macro>\nUndefMacro m\nUndefMacro M\nUndefMacro Other\n',
  'taken back by itself': '<Macro M>\nUndefMacro M\nServerSignature never\n</Macro>\nUse M\nUse M\n',
  'defined again':
    '<Macro M>\nServerSignature never\n</Macro>\nUse M\n<Macro M $a>\nServerSignature $a\n</Macro>\nUse M\nUse M Off\n',
  'conditions in a macro':
    '<Macro M $m>\n<IfModule $m>\nServerSignature never\n</IfModule>\n<IfDefine !Unheard>\nHostnameLookups On\n</IfDefine>\n</Macro>\nUse M mod_alias.c\nUse M mod_nowhere.c\n',
  'conditions around':
    '<IfModule mod_alias.c>\n<Macro M>\nServerSignature never\n</Macro>\nUse M\n</IfModule>\n<IfModule !mod_alias.c>\nUse M\n</IfModule>\nUse M\n',
  'a Define in a macro': '<Macro M $a>\nDefine what $a\nServerSignature ${what}\n</Macro>\nUse M never\nUse M Off\n',
  'a variable of which the name is put together':
    'Define off_value Off\nDefine bad_value never\n<Macro M $a>\nServerSignature ${$a_value}\n</Macro>\nUse M off\nUse M bad\n',
  'a variable among the arguments': 'Define what never\n<Macro M $a>\nServerSignature $a\n</Macro>\nUse M ${what}\n',
  'a variable among the parameters':
    'Define what never\n<Macro M ${what}>\nServerSignature never\n</Macro>\nUse M Off\nUse M maybe\n',
  'parameters with a percent sign, with none, with an at sign':
    '<Macro M %a b @c>\nServerSignature %a\nHostnameLookbs Off\n</Macro>\nUse M Off Off x\n<Macro N @c>\nServerAdmin @c\nServerSignature @c\n</Macro>\nUse N Off\nUse N "a \\" b"\n',
  'quotes from an at sign':
    '<Macro M @a>\nOptions @a\n</Macro>\n<Directory /x>\nUse M "Indexes FollowSymLinks"\nUse M Indexes\n</Directory>\n',
  'the longest name goes first': '<Macro M $a $ab>\nServerSignature $ab\n</Macro>\nUse M never Off\nUse M Off never\n',
  'a value that looks like a parameter':
    '<Macro M $a $b>\nServerSignature $a\nHostnameLookups $b\n</Macro>\nUse M $b Off\n',
  'a line that gets too long': `<Macro M a>\nServerSignature Off\nServerAdmin ${'a'.repeat(150)}\n</Macro>\nUse M ${'xyz'.repeat(20)}\nUse M b\n`,
  'flags of a macro': '<Macro M /IgnoreEmptyArgs $a>\nServerSignature Off\n</Macro>\nUse M ""\nUse M\n',
  'two parameters of one name': '<Macro M $a $a>\n# $a\n</Macro>\n',
  'a parameter without a name': '<Macro M $a "">\n# $a\n</Macro>\n',
  'a macro without a name': '<Macro>\n</Macro>\n',
  'an Error in a macro': '<Macro M $x>\nError "bad $x"\n</Macro>\nUse M a\n',
  'a Define that decides':
    'Define flag\n<Macro M>\n<IfDefine flag>\nServerSignature never\n</IfDefine>\n</Macro>\nUse M\nUnDefine flag\nUse M\n',
  'tags from two macros':
    '<Macro Begin $dir>\n<Directory $dir>\n</Macro>\n<Macro Finish>\n</Directory>\n</Macro>\nUse Begin /x\nOptions None\n<Limit GET>\nRequire all granted\n</Limit>\nUse Finish\n',
  'a tag that a macro opens':
    '<Macro Begin $dir>\n<Directory $dir>\n</Macro>\nUse Begin /x\nOptions None\n</Directory>\n',
  'a tag that a macro closes':
    '<Macro Finish>\nOptions None\n</Directory>\n</Macro>\n<Directory /x>\nUse Finish\nServerSignature Off\n',
  'a provider that is none':
    '<Macro M $who>\nRequire $who\n</Macro>\n<Location /x>\nUse M "all granted"\nUse M vaild-user\n</Location>\n',
  'unused nonsense': '<Macro M $a>\nNoSuchThing $a\n<VirtualHost $a>\n</VirtualHost>\nRequire nonsense\n</Macro>\n',
  'an operator of old, which the server still has a module for':
    '<Macro M $from>\nOrder deny,allow\nDeny from all\nAllow from $from\n</Macro>\n<Directory /x>\nUse M 192.0.2.0/24\nUse M 192.0.2.0/99\n</Directory>\nUse M 192.0.2.1\n',
};

describe('macros where they are used', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [title, text] of Object.entries(CASES)) {
    it(title, async () => {
      const ours = ourErrors(text, (tree) => asRead(text, tree));
      const { refused, elsewhere } = await serverErrors(text, { modules: MODULES });
      const theirs = [...refused].sort((a, b) => a.line - b.line);
      assert.deepEqual(elsewhere, []);
      const shown = (errors: typeof ours) => errors.map(({ line, text: said }) => `${line}: ${said}`).join('\n');
      assert.deepEqual(
        ours.map(({ line }) => line),
        [...new Set(theirs.map(({ line }) => line))],
        `the server:\n${shown(theirs)}\nours:\n${shown(ours)}`,
      );
      const { stderr } = await configTest(text, { modules: MODULES });
      const named = /Syntax error on line (\d+) of macro '([^']+)'.*?used on line/.exec(stderr);
      if (named)
        assert.ok(
          ours.some(({ text: said }) =>
            said.toLowerCase().includes(`line ${named[1]} of macro "${named[2].replace(/\\x\w\w\\x\w\w/, 'é')}"`),
          ),
          `${named[0]}\nours:\n${shown(ours)}`,
        );
    });
  }

  it('loses the line below a Use that ends the file without a newline, and no other', async () => {
    const M = '<Macro M>\nServerSignature Off\n</Macro>\n<Macro Empty>\n</Macro>\n';
    for (const [text, isLost] of [
      ['Use M\nNonsense', true],
      ['Use Empty\nNonsense', true],
      ['<Macro N>\nUse M\n</Macro>\nUse N\nNonsense', true],
      ['Use M\nUse Nowhere', true],
      ['Use M\nNonsense\n', false],
      ['Use M\n\nNonsense', false],
      ['Use M\n# a comment\nNonsense', false],
      ['<IfModule mod_macro.c>\nUse M\n</IfModule>\nNonsense', false],
      ['ServerSignature Off\nNonsense', false],
    ] as const) {
      assert.equal((await configTest(M + text, { modules: MODULES })).ok, isLost, text);
      const found = findingsInFiles({ [ROOT]: M + text }, { rule: 'last-line-lost' }).get(ROOT) ?? [];
      assert.equal(found.length > 0, isLost, text);
    }
    const section = `${M}<Directory /x>\nUse M\n</Directory>`;
    assert.match((await configTest(section, { modules: MODULES })).stderr, /<Directory> was not closed/);
    assert.ok((await configTest(`${section}\n`, { modules: MODULES })).ok);
  });
});

/**
 * The text as a whole configuration, of a server that has these modules and was started without
 * `-D`.
 */
function asRead(text: string, tree: Tree): FileInfo {
  const configurations = new Configurations();
  const view = configView(memoryFiles({ [ROOT]: text }));
  configurations.update(
    [{ mainFile: ROOT, target: DEFAULT_TARGET, server: { builtIn: modulesOf(MODULES), defines: new Map() } }],
    view,
    [],
  );
  return fileInfoOf(configurations.computeContexts(ROOT, summarize(tree.root)));
}
