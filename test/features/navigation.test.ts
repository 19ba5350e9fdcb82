/**
 * Where words lead: Include, variables, macros, paths. `$0` is the cursor; the expectation is
 * `file:line` of each target.
 */
import assert from 'node:assert/strict';
import { summarize } from '../../server/src/config/file-summary';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import {
  definitionAt,
  distinctiveIncludes,
  linksIn,
  type NavigationContext,
} from '../../server/src/features/navigation';
import { elsewhereOf } from '../support/elsewhere';
import { memoryFiles } from '../../server/src/config/memory-files';

const ROOT = '/etc/httpd/conf/httpd.conf';

/** The first file is the root; the one with `$0` is asked about. */
function at(files: Record<string, string>): {
  tree: ReturnType<ReturnType<typeof memoryFiles>['read']> & object;
  offset: number;
  around: NavigationContext;
} {
  const [path, marked] = Object.entries(files).find(([, text]) => text.includes('$0')) ?? [Object.keys(files)[0], ''];
  const view = memoryFiles({ ...files, ...(marked && { [path]: marked.replace('$0', '') }) });
  const model = readModel({ mainFile: Object.keys(files)[0], view: configView(view) })!;
  const fileSummary = (asked: string) => {
    const tree = view.read(asked);
    return tree && summarize(tree.root);
  };
  const plain = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replace('$0', '')]));
  return {
    tree: view.read(path)!,
    offset: marked.indexOf('$0'),
    around: {
      configurationModels: [model],
      path,
      namesInOtherFiles: elsewhereOf(plain, path),
      kindOfPath: (asked) => view.kind(asked),
      fileSummary,
    },
  };
}

function definitions(files: Record<string, string>): string[] | null {
  const { tree, offset, around } = at(files);
  const found = definitionAt(tree, offset, around);
  return found && [tree.text(found.start, found.end), ...found.targets.map(({ path, row }) => `${path}:${row + 1}`)];
}

describe('go to definition', () => {
  it('of an Include leads to its files, in order', () => {
    assert.deepEqual(
      definitions({
        [ROOT]: 'Include con$0f.d/*.conf\n',
        '/etc/httpd/conf.d/b.conf': '',
        '/etc/httpd/conf.d/a.conf': '',
      }),
      ['conf.d/*.conf', '/etc/httpd/conf.d/a.conf:1', '/etc/httpd/conf.d/b.conf:1'],
    );
    assert.equal(definitions({ [ROOT]: 'Include con$0f.d/none.conf\n' }), null);
    assert.equal(definitions({ [ROOT]: 'Incl$0ude a.conf\n', '/etc/httpd/a.conf': '' }), null);
  });

  it('of an Include goes by quotes and variables', () => {
    assert.deepEqual(
      definitions({ [ROOT]: 'Define DIR conf.d\nInclude "${DIR}/$0a.conf"\n', '/etc/httpd/conf.d/a.conf': '' }),
      ['"${DIR}/a.conf"', '/etc/httpd/conf.d/a.conf:1'],
    );
  });

  it('of a variable leads to each Define, in whatever file', () => {
    assert.deepEqual(
      definitions({
        [ROOT]: 'Include a.conf\n# here\nDefine Two 2\nListen ${t$0wo}\n',
        '/etc/httpd/a.conf': '\nDefine TWO 1\n',
      }),
      ['${two}', '/etc/httpd/a.conf:2', `${ROOT}:3`],
    );
    assert.equal(definitions({ [ROOT]: 'Listen ${HO$0ME}\n' }), null);
  });

  it('of a Use leads to the macro', () => {
    assert.deepEqual(definitions({ [ROOT]: '\n<Macro Host $name>\nServerName $name\n</Macro>\nUse ho$0st a\n' }), [
      'host',
      `${ROOT}:2`,
    ]);
  });

  describe('of a name leads to the lines that define it', () => {
    const leads = (line: string, name: string, targets: readonly string[], main = MAIN) => {
      it(line.replace('$0', ''), () =>
        assert.deepEqual(
          definitions({ [ROOT]: `${main}Include a.conf\n`, '/etc/httpd/a.conf': `ServerAdmin a\n${line}\n` }),
          [name, ...targets],
        ),
      );
    };
    const MAIN = [
      'ServerRoot /etc/httpd',
      'LogFormat "%h" Short',
      '<Proxy balancer://Farm/>',
      '</Proxy>',
      'SetEnvIf User-Agent Bot is_bot',
      'RewriteRule ^ - [E=seen:1,L]',
      'RewriteMap up int:toupper',
      '<AuthnProviderAlias file staff>',
      '</AuthnProviderAlias>',
      '<AuthzProviderAlias ip office 10.0.0.1>',
      '</AuthzProviderAlias>',
      'ExtFilterDefine squeeze cmd=/bin/cat',
      'Define FLAG',
      'AddHandler own .own',
      '',
    ].join('\n');
    leads('CustomLog logs/a sho$0rt', 'short', [`${ROOT}:2`]);
    leads('CustomLog logs/a short env=!is_$0bot', 'is_bot', [`${ROOT}:5`]);
    leads('ProxyPass /a balancer://fa$0rm/x', 'balancer://farm', [`${ROOT}:3`]);
    leads('RewriteRule ^ balancer://farm$0/%{REQUEST_URI} [P]', 'balancer://farm', [`${ROOT}:3`]);
    leads('RewriteCond %{ENV:se$0en} 1', 'seen', [`${ROOT}:6`]);
    leads('Require env is_$0bot', 'is_bot', [`${ROOT}:5`]);
    leads('Allow from env=is_$0bot', 'is_bot', [`${ROOT}:5`]);
    leads('LogFormat "%{is_$0bot}e" x', 'is_bot', [`${ROOT}:5`]);
    leads("<If \"reqenv('is_$0bot') == '1'\">\n</If>", 'is_bot', [`${ROOT}:5`]);
    leads('RewriteRule ^/(.*) /${u$0p:$1}', 'up', [`${ROOT}:7`]);
    leads('AuthBasicProvider file st$0aff', 'staff', [`${ROOT}:8`]);
    leads('Require not off$0ice', 'office', [`${ROOT}:10`]);
    leads('SetOutputFilter DEFLATE;squ$0eeze', 'squeeze', [`${ROOT}:12`]);
    leads('<IfDefine !FL$0AG>\n</IfDefine>', 'FLAG', [`${ROOT}:13`]);
    leads('SetEnv is_bot 1\nHeader set X y env=is_b$0ot', 'is_bot', ['/etc/httpd/a.conf:2', `${ROOT}:5`]);
    it('and nowhere where none does, or by another spelling', () => {
      assert.equal(definitions({ [ROOT]: 'CustomLog logs/a nob$0ody\n' }), null);
      assert.equal(definitions({ [ROOT]: 'RewriteMap Up int:toupper\nRewriteRule a ${u$0p:b}\n' }), null);
      assert.equal(definitions({ [ROOT]: '# LogFormat x short\n# CustomLog a sho$0rt\n' }), null);
    });
    it('of a file that no configuration reads in that file only', () => {
      const files = { [ROOT]: 'LogFormat a short\n', '/srv/b.conf': 'LogFormat b short\nCustomLog c sho$0rt\n' };
      const { tree, offset, around } = at(files);
      assert.deepEqual(
        definitionAt(tree, offset, { ...around, configurationModels: [], namesInOtherFiles: undefined })!.targets,
        [{ path: '/srv/b.conf', row: 0 }],
      );
    });
  });

  it('of a path leads to the file, where there is one', () => {
    const files = {
      [ROOT]: 'ServerRoot /etc/httpd\n<Directory />\nAuthUserFile conf/user$0s\n</Directory>\n',
      '/etc/httpd/conf/users': '',
    };
    assert.deepEqual(definitions(files), ['conf/users', '/etc/httpd/conf/users:1']);
    assert.equal(definitions({ [ROOT]: 'AuthUserFile conf/user$0s\n' }), null);
  });
});

describe('links', () => {
  const links = (files: Record<string, string>) => {
    const { tree, around } = at(files);
    return linksIn(tree, around).map(({ start, end, target }) => `${tree.text(start, end)} -> ${target.path}`);
  };

  it('are on what leads to one file', () => {
    assert.deepEqual(
      links({
        [ROOT]:
          'Include a.conf\nInclude *.conf\nTypesConfig conf/mime.types\n# Include a.conf\nErrorLog logs/none\n<Directory /a>\nInclude a.conf\n</Directory>\n',
        '/etc/httpd/a.conf': '',
        '/etc/httpd/b.conf': '',
        '/etc/httpd/conf/mime.types': '',
      }),
      ['a.conf -> /etc/httpd/a.conf', 'conf/mime.types -> /etc/httpd/conf/mime.types', 'a.conf -> /etc/httpd/a.conf'],
    );
  });

  it('of a large file are those of its Include lines', () => {
    assert.deepEqual(
      links({
        [ROOT]: `TypesConfig conf/mime.types\n${'KeepAlive On\n'.repeat(10_000)}Include a.conf\n`,
        '/etc/httpd/a.conf': '',
        '/etc/httpd/conf/mime.types': '',
      }),
      ['a.conf -> /etc/httpd/a.conf'],
    );
  });
});

describe('included from', () => {
  const from = (text: string) => {
    const view = memoryFiles({ [ROOT]: text, '/etc/httpd/a.conf': '' });
    return distinctiveIncludes(readModel({ mainFile: ROOT, view: configView(view) })!, '/etc/httpd/a.conf').map(
      ({ row, enclosingTags }) => `${row + 1} ${enclosingTags.join(' ')}`,
    );
  };
  it('is said where it matters', () => {
    assert.deepEqual(from('Include a.conf\n'), []);
    assert.deepEqual(from('<VirtualHost *:80>\n<Location /a>\nInclude a.conf\n</Location>\n</VirtualHost>\n'), [
      '3 <VirtualHost *:80> <Location /a>',
    ]);
    assert.deepEqual(from('Include a.conf\n<Files a>\nInclude a.conf\n</Files>\n'), ['1 ', '3 <Files a>']);
  });
});
