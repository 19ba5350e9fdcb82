/**
 * httpd's configuration embedded in other languages is coloured; everything else has the colours of
 * its own language. The editor has those grammars; stand-ins here mark their lines.
 */
import assert from 'node:assert/strict';
import { loadHost, tokenize } from './tokenize';

/**
 * What a host makes of its lines: words are `host`, and code blocks and here-documents of its own
 * are something else.
 */
const HOSTS: Readonly<Record<string, object>> = {
  'text.html.markdown': {
    scopeName: 'text.html.markdown',
    patterns: [
      { name: 'markup.fenced_code.other', begin: '^\\s*(```)(\\w*)', end: '^\\s*(```)' },
      { name: 'host', match: '\\S+' },
    ],
  },
  'source.dockerfile': {
    scopeName: 'source.dockerfile',
    patterns: [
      { name: 'comment.line', match: '^\\s*#.*' },
      { name: 'host', match: '\\S+' },
    ],
  },
  'source.yaml': {
    scopeName: 'source.yaml',
    patterns: [
      { name: 'comment.line', match: '#.*$' },
      { name: 'string.block', begin: '^(\\s*)other: \\|', while: '^(?:\\1\\s+|\\s*$)' },
      { name: 'host', match: '\\S+' },
    ],
  },
};

/** `>` before a line that is httpd's. */
const CASES: readonly (readonly [scope: string, what: string, text: string])[] = [
  [
    'text.html.markdown',
    'code blocks',
    ' text\n ```apache\n>Listen 80\n><Directory /x>\n>  Options None # a\n ```\n text\n ```sh\n Listen 80\n ```\n',
  ],
  [
    'text.html.markdown',
    'code blocks in a list and in a quotation',
    ' - a\n   ```apacheconf title="a"\n>   Listen 80\n   ```\n ~~~~htaccess\n>RewriteEngine On\n ~~~~\n text\n',
  ],
  ['text.html.markdown', 'no other code blocks', ' ```apache2ctl\n Listen 80\n ```\n text\n'],
  [
    'source.dockerfile',
    'COPY',
    ' FROM httpd\n COPY <<EOF /etc/apache2/sites-enabled/a.conf\n>Listen 80\n>Options None\n EOF\n RUN a\n',
  ],
  [
    'source.dockerfile',
    'RUN cat',
    ' RUN cat > x.conf <<"END"\n>Listen 80\n END\n RUN a && \\\n   cat <<-EOF > /usr/local/apache2/conf/httpd.conf\n>\tListen 80\n \tEOF\n USER a\n',
  ],
  [
    'source.dockerfile',
    'no other here-documents',
    ' RUN <<EOF\n Listen 80\n EOF\n COPY <<EOF /etc/nginx/nginx.conf\n Listen 80\n EOF\n',
  ],
  [
    'source.yaml',
    'ConfigMaps',
    ' kind: ConfigMap\n data:\n   httpd.conf: |\n>    Listen 80\n>\n>    <Directory /x>\n>      Options None\n   other: |\n     Listen 80\n   .htaccess: |-\n>    RewriteEngine On\n end: 1\n',
  ],
  ['source.yaml', 'configs of docker-compose', ' configs:\n   - "000-default.conf": |2\n>        Listen 80\n   x: 1\n'],
  [
    'source.yaml',
    "texts of Ansible's tasks, by what is in them",
    ' - copy:\n     dest: /etc/apache2/sites-available/a.conf\n     content: |\n       # {{ ansible_managed }}\n>      <VirtualHost *:{{ port }}>\n>        ServerName {{ name }}\n>\n>      </VirtualHost>\n     mode: "0644"\n   blockinfile:\n     block: |\n>      Listen 8080\n>      Options None\n',
  ],
  [
    'source.yaml',
    'texts of other tasks',
    ' - copy:\n     content: |\n       server {\n         listen 80;\n         server_name a;\n       }\n   block:\n     - x: 1\n   content: |\n     Listen to me\n     Options are none\n     <directory>\n',
  ],
  ['source.yaml', 'no other texts', ' nginx.conf: |\n   Listen 80\n httpd: 1\n # httpd.conf: |\n Listen: 80\n'],
];

describe('grammar: embedded configuration', () => {
  for (const [scope, what, text] of CASES) {
    it(`${scope}: ${what}`, async () => {
      const marks = text.trimEnd().split('\n');
      const lines = marks.map((line) => line.slice(1));
      const tokens = tokenize(await loadHost(scope, HOSTS), lines);
      lines.forEach((line, index) => {
        const isOurs = marks[index]!.startsWith('>');
        const first = tokens[index]!.find(({ start, end }) => /\S/.test(line.slice(start, end)));
        if (!first) return;
        const all = first.scopes.join(' ');
        assert.equal(all.includes('meta.embedded.block.apacheconf'), isOurs, `${line}: ${all}`);
        if (isOurs) assert.match(all, /apacheconf.*(?:support\.function|meta\.tag|punctuation)/, line);
      });
    });
  }
});
