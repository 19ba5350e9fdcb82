/** Texts of a given number of lines. */

/**
 * Virtual hosts as a hosting company has them: clean 2.4, but for `old` sections of 2.2 spread
 * evenly over the file. Publishing costs something for each finding, so files that are compared
 * have the same number of them.
 */
export function configurationText(lines: number, old = 10): string {
  const rows: string[] = [];
  const hosts = Math.floor(lines / 20);
  const isOld = (i: number) => Math.floor((i * old) / hosts) !== Math.floor(((i + 1) * old) / hosts);
  for (let i = 0; i < hosts; i++) {
    rows.push(
      '<VirtualHost *:80>',
      `    ServerName host${i}.example.org`,
      '    ServerAdmin webmaster@example.org',
      `    # site ${i}`,
      `    <Directory /srv/www/host${i}>`,
      '        Options FollowSymLinks',
      '        AllowOverride None',
      ...(isOld(i) ? ['        Order allow,deny', '        Allow from all'] : ['        Require all granted', '']),
      '    </Directory>',
      '    RewriteEngine On',
      `    RewriteCond %{HTTP_HOST} ^www\\.host${i}$ [NC]`,
      `    RewriteRule ^/(.*)$ http://host${i}.example.org/$1 [R=301,L]`,
      `    SetEnvIf User-Agent "bot${i}" bad_bot`,
      `    Alias /static${i} /srv/static`,
      '    ErrorDocument 404 /404.html',
      `    Header set X-Host "host${i}"`,
      `    AddType text/x-foo .foo${i}`,
      '</VirtualHost>',
      '',
    );
  }
  return `${rows.join('\n')}\n`;
}

export function jsonText(lines: number): string {
  const rows = Array.from(
    { length: lines - 2 },
    (_, i) => `  { "id": ${i}, "name": "middle", "tags": ["a", "b"], "on": true }`,
  );
  return `[\n${rows.join(',\n')}\n]`;
}

export function cssText(lines: number): string {
  const rows: string[] = [];
  for (let i = 0; rows.length + 5 <= lines; i++)
    rows.push(`.middle-${i} > a:hover {`, '  color: #336699;', `  margin: 0 ${i % 10}px;`, '}', '');
  return rows.join('\n');
}
