/** `check` of a directory shows lines of httpd in the strings of PHP code, and changes none. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

interface Report {
  readonly files: {
    readonly path: string;
    readonly findings: { rule: string; severity: string; range: { start: { line: number; character: number } } }[];
  }[];
}

/** PHP code, and the lines (counted from 1) at which remarks begin. */
const CASES: Readonly<Record<string, { readonly code: string; readonly lines: readonly number[] }>> = {
  'a string with escapes': {
    code: '<?php\nfile_put_contents($dir . "/.htaccess", "Order allow,deny\\nDeny from all\\n");\n',
    lines: [2],
  },
  'a string in single quotes over several lines': {
    code: '<?php\n$rules = \'\n<Files "*.log">\nOrder allow,deny\nDeny from all\n</Files>\n\';\n',
    lines: [4],
  },
  'a heredoc': {
    code: '<?php\nfunction a() {\n    $rules = <<<HTACCESS\n    Options -Indexes\n    deny from all\n    HTACCESS;\n}\n',
    lines: [5],
  },
  'a nowdoc': { code: "<?php\n$a = <<<'EOT'\norder deny,allow\nallow from all\nEOT;\n", lines: [3] },
  'a concatenation': {
    code: "<?php\n$a = 'Order deny,allow' . PHP_EOL . // first\n  'Deny from all' . PHP_EOL\n  . 'Allow from ' . $ip . PHP_EOL;\n",
    lines: [2],
  },
  'several calls of fwrite': {
    code: '<?php\nfwrite($file, "order deny,allow\\r\\n");\nfwrite($file, "deny from all\\r\\n");\n',
    lines: [2],
  },
  'an array of lines': { code: "<?php\n$lines = array(\n 'Order Allow,Deny',\n 'Deny from all',\n);\n", lines: [3] },
  'strings far from each other': {
    code: `<?php\n$a = 'Deny from all';\n${'$x++;\n'.repeat(30)}$b = 'Deny from all';\n`,
    lines: [2, 33],
  },
  'other old lines': { code: '<?php\n$a = "NameVirtualHost *:80\\nMaxClients 5\\n";\n', lines: [2, 2] },
  'lines for both versions': {
    code: '<?php\n$a  = "<IfModule mod_authz_core.c>\\nRequire all denied\\n</IfModule>\\n";\n$a .= "<IfModule !mod_authz_core.c>\\n";\n$a .= "Order deny,allow\\nDeny from all\\n";\n$a .= "</IfModule>\\n";\n',
    lines: [],
  },
  'lines of 2.4': { code: "<?php\n$a = 'Require all denied';\n", lines: [] },
  'comments, and text outside of code': {
    code: "<p>Deny from all</p>\n<?php\n// 'Deny from all'\n# \"Deny from all\"\n/* 'Deny from all' */\n?>\n'Deny from all'\n",
    lines: [],
  },
  'a search': {
    code: "<?php\nif (strpos($text, 'Deny from all') !== false || $text == 'Deny from all') return;\n",
    lines: [],
  },
  'prose and regular expressions': {
    code: "<?php\necho 'Orders from all countries. Allow from all users.';\n$a = '/^deny from all/i';\n",
    lines: [],
  },
  'an unclosed string': { code: "<?php\n$a = 'Deny from all\n", lines: [2] },
};

describe(
  'strings in PHP code',
  withFolder((folder) => {
    const check = async (...args: string[]): Promise<Report> =>
      JSON.parse((await folder().run(['check', '--format', 'json', ...args])).out) as Report;

    for (const [name, { code, lines }] of Object.entries(CASES)) {
      it(name, async () => {
        folder().write('src/plugin.php', code);
        const { files } = await check('.');
        assert.deepEqual(
          files.flatMap(({ findings }) => findings.map(({ range }) => range.start.line + 1)),
          lines,
        );
        for (const { findings } of files) for (const { severity } of findings) assert.equal(severity, 'info');
      });
    }

    it('are shown with file and line, also where the directory has configuration', async () => {
      folder().write('plugin.php', '<?php\n\n$rules = "Options -Indexes\\nDeny from all\\n";\n');
      folder().write('.htaccess', 'MaxClients 5\n');
      const { out, code } = await folder().run(['check', '.']);
      assert.match(out, /^info\[order-allow-deny\]: .*\n *--> \.\/plugin\.php:3:29\n/m);
      assert.match(out, /^ *--> \.\/\.htaccess:1:1$/m);
      assert.match(out, /PHP code writes these lines/);
      assert.equal(code, 1);
    });

    it('are in a file that is named, and not with --no-strings', async () => {
      folder().write('plugin.php', '<?php $rules = "Deny from all";\n');
      assert.deepEqual(
        (await check('plugin.php')).files.map(({ path }) => path),
        ['plugin.php'],
      );
      assert.deepEqual((await check('.', '--no-strings')).files, []);
      assert.deepEqual((await check('plugin.php', '--no-strings')).files, []);
    });

    it('are known problems of a baseline, and in SARIF at their rule', async () => {
      folder().write('plugin.php', '<?php $rules = "Deny from all";\n');
      await folder().run(['check', '--baseline', 'known.json', '--update-baseline', '.']);
      assert.match((await folder().run(['check', '--baseline', 'known.json', '.'])).out, /\(known\)/);
      const sarif = JSON.parse((await folder().run(['check', '--format', 'sarif', '.'])).out);
      const [result] = sarif.runs[0].results;
      assert.equal(sarif.runs[0].tool.driver.rules[result.ruleIndex].id, result.ruleId);
      assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, 'plugin.php');
      assert.equal(result.fixes, undefined);
    });

    it('are never changed', async () => {
      const code = '<?php\n$rules = "\nOrder allow,deny\nDeny from all\n";\n';
      folder().write('plugin.php', code);
      for (const args of [['.'], ['plugin.php'], ['--unsafe', 'plugin.php'], ['--keep-both', '.']])
        await folder().run(['fix', '--write', '--assume-standalone', ...args]);
      await folder().run(['format', '--write', 'plugin.php']);
      assert.equal(folder().text('plugin.php'), code);
      assert.match((await folder().run(['fix', 'plugin.php'])).err, /plugin\.php: PHP code is never changed/);
    });
  }),
);

describe(
  'YAML and Dockerfiles',
  withFolder((folder) => {
    const FILES: Readonly<Record<string, string>> = {
      'configmap.yaml':
        'data:\n  httpd.conf: |\n    <Directory "/srv">\n      Order allow,deny\n      Allow from all\n    </Directory>\n',
      'apache/play.yml':
        '- copy:\n    content: |\n      <Directory "/srv">\n        Order allow,deny\n      </Directory>\n',
      'apache/Dockerfile':
        'FROM httpd\nCOPY <<EOF /a.conf\n<Directory "/srv">\n    Order allow,deny\n</Directory>\nEOF\n',
      'apache/Dockerfile.web':
        'FROM httpd\nCOPY <<EOF /a.conf\n<Directory "/srv">\n    Order allow,deny\n</Directory>\nEOF\n',
      'apache/web.Dockerfile':
        'FROM httpd\nCOPY <<EOF /a.conf\n<Directory "/srv">\n    Order allow,deny\n</Directory>\nEOF\n',
      'apache/Containerfile':
        'FROM httpd\nCOPY <<EOF /a.conf\n<Directory "/srv">\n    Order allow,deny\n</Directory>\nEOF\n',
    };

    it('are checked where they are named, and not in a directory', async () => {
      for (const [name, text] of Object.entries(FILES)) folder().write(name, text);
      const rules = async (name: string) =>
        (JSON.parse((await folder().run(['check', '--format', 'json', name])).out) as Report).files.flatMap(
          ({ findings }) => findings.map(({ rule }) => rule),
        );
      assert.deepEqual(await rules('.'), []);
      for (const name of Object.keys(FILES)) assert.ok((await rules(name)).includes('order-allow-deny'), name);
    });
  }),
);
