/** Where words lead: Include, variables, macros, paths. `$0` is the cursor; what is expected is `file:line` of each target. */
import assert from 'node:assert/strict';
import { digestOf } from '../../server/src/config/digest';
import { configView, readModel } from '../../server/src/config/model';
import { definitionAt, includedFrom, linksIn, type Neighbourhood } from '../../server/src/features/navigation';
import { memoryFiles } from '../support/memory-files';

const ROOT = '/etc/httpd/conf/httpd.conf';

/** The first file is the root; the one with `$0` is asked about. */
function at(files: Record<string, string>): { tree: ReturnType<ReturnType<typeof memoryFiles>['read']> & object; offset: number; around: Neighbourhood } {
  const [path, marked] = Object.entries(files).find(([, text]) => text.includes('$0')) ?? [Object.keys(files)[0], ''];
  const view = memoryFiles({ ...files, ...(marked && { [path]: marked.replace('$0', '') }) });
  const model = readModel({ root: Object.keys(files)[0], view: configView(view) })!;
  const digest = (asked: string) => {
    const tree = view.read(asked);
    return tree && digestOf(tree.root);
  };
  return { tree: view.read(path)!, offset: marked.indexOf('$0'), around: { models: [model], path, kind: (asked) => view.kind(asked), digest } };
}

function definitions(files: Record<string, string>): string[] | null {
  const { tree, offset, around } = at(files);
  const found = definitionAt(tree, offset, around);
  return found && [tree.text(found.start, found.end), ...found.targets.map(({ path, row }) => `${path}:${row + 1}`)];
}

describe('go to definition', () => {
  it('of an Include leads to its files, in order', () => {
    assert.deepEqual(definitions({ [ROOT]: 'Include con$0f.d/*.conf\n', '/etc/httpd/conf.d/b.conf': '', '/etc/httpd/conf.d/a.conf': '' }), ['conf.d/*.conf', '/etc/httpd/conf.d/a.conf:1', '/etc/httpd/conf.d/b.conf:1']);
    assert.equal(definitions({ [ROOT]: 'Include con$0f.d/none.conf\n' }), null);
    assert.equal(definitions({ [ROOT]: 'Incl$0ude a.conf\n', '/etc/httpd/a.conf': '' }), null);
  });

  it('of an Include goes by quotes and variables', () => {
    assert.deepEqual(definitions({ [ROOT]: 'Define DIR conf.d\nInclude "${DIR}/$0a.conf"\n', '/etc/httpd/conf.d/a.conf': '' }), ['"${DIR}/a.conf"', '/etc/httpd/conf.d/a.conf:1']);
  });

  it('of a variable leads to each Define, in whatever file', () => {
    assert.deepEqual(definitions({ [ROOT]: 'Include a.conf\n# here\nDefine Two 2\nListen ${t$0wo}\n', '/etc/httpd/a.conf': '\nDefine TWO 1\n' }), ['${two}', '/etc/httpd/a.conf:2', `${ROOT}:3`]);
    assert.equal(definitions({ [ROOT]: 'Listen ${HO$0ME}\n' }), null);
  });

  it('of a Use leads to the macro', () => {
    assert.deepEqual(definitions({ [ROOT]: '\n<Macro Host $name>\nServerName $name\n</Macro>\nUse ho$0st a\n' }), ['host', `${ROOT}:2`]);
  });

  it('of a path leads to the file, where there is one', () => {
    const files = { [ROOT]: 'ServerRoot /etc/httpd\n<Directory />\nAuthUserFile conf/user$0s\n</Directory>\n', '/etc/httpd/conf/users': '' };
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
      links({ [ROOT]: 'Include a.conf\nInclude *.conf\nTypesConfig conf/mime.types\n# Include a.conf\nErrorLog logs/none\n<Directory /a>\nInclude a.conf\n</Directory>\n', '/etc/httpd/a.conf': '', '/etc/httpd/b.conf': '', '/etc/httpd/conf/mime.types': '' }),
      ['a.conf -> /etc/httpd/a.conf', 'conf/mime.types -> /etc/httpd/conf/mime.types', 'a.conf -> /etc/httpd/a.conf'],
    );
  });

  it('of a large file are those of its Include lines', () => {
    assert.deepEqual(links({ [ROOT]: `TypesConfig conf/mime.types\n${'KeepAlive On\n'.repeat(10_000)}Include a.conf\n`, '/etc/httpd/a.conf': '', '/etc/httpd/conf/mime.types': '' }), ['a.conf -> /etc/httpd/a.conf']);
  });
});

describe('included from', () => {
  const from = (text: string) => {
    const view = memoryFiles({ [ROOT]: text, '/etc/httpd/a.conf': '' });
    return includedFrom(readModel({ root: ROOT, view: configView(view) })!, '/etc/httpd/a.conf').map(({ row, within }) => `${row + 1} ${within.join(' ')}`);
  };
  it('is said where it matters', () => {
    assert.deepEqual(from('Include a.conf\n'), []);
    assert.deepEqual(from('<VirtualHost *:80>\n<Location /a>\nInclude a.conf\n</Location>\n</VirtualHost>\n'), ['3 <VirtualHost *:80> <Location /a>']);
    assert.deepEqual(from('Include a.conf\n<Files a>\nInclude a.conf\n</Files>\n'), ['1 ', '3 <Files a>']);
  });
});
