/**
 * The names in a list are those of its lines, before and after edits; and a scope that is read
 * later has the same lines as one read at once.
 */
import assert from 'node:assert/strict';
import { linesIn, readConfiguration, type Scope } from '../../server/src/config/configuration';
import type { FileView } from '../../server/src/config/files';
import { linesOf, scopesOf } from '../../server/src/config/loaded-modules';
import { cachedByNames, namesIn } from '../../server/src/config/name-set';
import { Tree } from '../../server/src/syntax/document';
import { LineKind } from '../../server/src/syntax/line';
import { forEachItem, Section, type List } from '../../server/src/syntax/tree';

const HOSTS = [
  '<VirtualHost *:80>',
  'Alias /a /srv/a',
  '# Alias /b /srv/b',
  '<Directory /srv/a>',
  'Options None',
  '<Limit GET>',
  'Require all granted',
  '</Limit>',
  '</Directory>',
  '</VirtualHost>',
];

/** By a walk through everything. */
function allNames(list: List, names = new Set<string>()): Set<string> {
  forEachItem(list, 0, (item) => {
    if (item instanceof Section) allNames(item.body, names.add(`<${item.name}`));
    else if (item.kind === LineKind.Directive) names.add(item.name);
    const line = item instanceof Section ? item.open : item;
    if (line.kind !== LineKind.Comment && line.text.includes('${')) names.add('${');
  });
  return names;
}

const ASKED = [
  'alias',
  'options',
  'require',
  'order',
  'listen',
  '<virtualhost',
  '<directory',
  '<limit',
  '<files',
  '${',
];

function check(tree: Tree): void {
  const names = allNames(tree.root);
  assert.deepEqual(
    ASKED.filter((name) => namesIn(tree.root).hasName(name)),
    ASKED.filter((name) => names.has(name)),
  );
}

describe('the names in a list', () => {
  it('are those of its lines and sections, comments left out', () =>
    check(Tree.parse(`Listen 80\n${HOSTS.join('\n')}\n`)));

  it('follow edits', () => {
    let tree = Tree.parse(`${Array.from({ length: 60 }, () => HOSTS.join('\n')).join('\n')}\n`);
    const pieces = [
      'Order allow,deny\n',
      '<Files x>\nListen 80\n</Files>\n',
      'Alias ${X} /srv\n',
      '# nothing\n',
      '</VirtualHost>\n',
      '<Limit POST>\n',
    ];
    for (let i = 0; i < 200; i++) {
      const at = tree.offsetAt({ line: (i * 37) % tree.lineCount, character: 0 });
      tree =
        i % 3 === 2
          ? tree.edit(
              at,
              Math.min(tree.length, tree.offsetAt({ line: ((i * 37) % tree.lineCount) + 4, character: 0 })),
              '',
            )
          : tree.edit(at, at, pieces[i % pieces.length]);
      check(tree);
    }
  });

  it('are its own, however much it is like the list before it', () => {
    const alike = [
      'Alias /a /srv\n<Limit GET>\nOptions None\n</Limit>\n',
      'Alias /a /srv\n<Limit GET>\nRequire all granted\n</Limit>\n',
      'Alias /a /srv\n<Limit GET>\nRequire ${WHO}\n</Limit>\n',
      'Alias /a /srv\n<Limit ${HOW}>\nRequire all granted\n</Limit>\n',
      'Alias /a /srv\n<Files GET>\nRequire all granted\n</Files>\n',
      'Alias /a ${DOCS}\n<Files GET>\nRequire all granted\n</Files>\n',
      'Order a,b\n<Files GET>\nRequire all granted\n</Files>\n',
      '<Order a,b>\n<Files GET>\nRequire all granted\n</Files>\n',
      '# Order\n<Files GET>\nRequire all granted\n</Files>\n',
      '<Limit GET>\nOptions None\nRequire all granted\n</Limit>\n',
      '<Limit ${HOW}>\nOptions None\nRequire all granted\n</Limit>\n',
    ];
    for (const one of alike)
      for (const other of alike)
        for (const text of [one, other, `${one}</Files>`, `${other}</Files>`, `${one}<Files x>\n${other}</Files>\n`])
          check(Tree.parse(text));
  });

  it('are any names where there are more than anybody counts', () => {
    const names = namesIn(Tree.parse(Array.from({ length: 5000 }, (_, i) => `Name${i}\n`).join('')).root);
    assert.ok(names.hasName('name4999') && names.hasName('order') && names.mustReadInOrder && names.hasScopes);
  });
});

describe('a question to sets of names', () => {
  it('is asked once of each, and answered alike however they alternate', () => {
    const sets = ['Order a,b\n', 'Listen 80\n', 'Order a,b\nListen 80\n', 'Alias /a /b\n'].map((text) =>
      namesIn(Tree.parse(text).root),
    );
    let asked = 0;
    const hasOrder = cachedByNames((names) => {
      asked++;
      return names.hasName('order');
    });
    for (const order of [
      [0, 1, 0, 1],
      [2, 0, 3, 1],
      [3, 3, 2, 2, 0, 3, 0, 1],
    ])
      for (const index of order) assert.equal(hasOrder(sets[index]), [true, false, true, false][index]);
    assert.equal(asked, sets.length);
  });
});

describe('a section that is read when somebody asks', () => {
  const names = new Set(['alias', 'options', 'require']);
  const read = (text: string) => {
    const tree = Tree.parse(text);
    const view: FileView = {
      read: (path) => (path === '/srv/httpd.conf' ? tree : null),
      list: () => null,
      kind: () => null,
      realPath: (path) => path,
    };
    return readConfiguration({ root: '/srv/httpd.conf', view, names })!;
  };
  const said = (scope: Scope): unknown => [
    scope.kind,
    scope.words,
    scope.offset,
    scope.lines.map(({ line, offset, enclosingSections, activity }) => [
      line.text,
      offset,
      enclosingSections.length,
      activity,
    ]),
    scope.children.map(said),
  ];

  it('holds what one holds that is read at once', () => {
    const text = `${HOSTS.join('\n')}\n<IfModule x.c>\n${HOSTS.join('\n')}\n</IfModule>\n`;
    // A variable in a comment-free place has everything around it read in its turn.
    const atOnce = read(text.replaceAll('</VirtualHost>', 'Listen ${X}\n</VirtualHost>'));
    const later = read(text.replaceAll('</VirtualHost>', 'Listen 8080\n</VirtualHost>'));
    assert.deepEqual([atOnce.rootScope.children[0].names, later.rootScope.children[0].names !== null], [null, true]);
    assert.deepEqual(said(later.rootScope), said(atOnce.rootScope));
  });

  it('gives out the lines of some names, and sections by their name', () => {
    const configuration = read(`${HOSTS.join('\n')}\n`);
    const [host] = configuration.rootScope.children;
    assert.deepEqual(
      linesIn(host, new Set(['alias'])).map(({ line }) => line.text),
      ['Alias /a /srv/a\n'],
    );
    assert.deepEqual(
      linesOf(configuration, 'require').map(({ line, enclosingSections }) => [
        line.text,
        enclosingSections[0].section.name,
      ]),
      [['Require all granted\n', 'limit']],
    );
    assert.deepEqual(
      scopesOf(configuration, 'directory').map(({ words }) => words),
      [['/srv/a']],
    );
  });
});
