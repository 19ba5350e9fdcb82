/**
 * Templates of configuration with access control, in our own notation, each with two or more
 * renderings.
 */
import type { Values } from './languages';

export interface Case {
  readonly name: string;
  readonly text: string;
  readonly renderings: readonly Values[];
  /** It is a main file by itself, and not a part of one. */
  readonly isMain?: true;
}

/** Put before a part: a main file that does not affect access. */
export const HEAD =
  'ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n<Directory />\n    AllowOverride None\n</Directory>\n';

const LOGIN =
  '    AuthType Basic\n    AuthName "members"\n    AuthUserFile /srv/www/conf/passwd\n    Require valid-user\n';
const both = (name: string, values: Values = {}): readonly Values[] => [
  { ...values, [name]: true },
  { ...values, [name]: false },
];

export const CASES: readonly Case[] = [
  {
    name: 'one branch lets in, the other keeps out',
    text: '<Directory /srv/www/pub>\n    Order allow,deny\n«if open»\n    Allow from all\n«else»\n    Deny from all\n«end»\n</Directory>\n',
    renderings: both('open'),
  },
  {
    name: 'branches with whole decisions',
    text: '<Directory /srv/www/pub>\n«if open»\n    Order allow,deny\n    Allow from all\n«else»\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.1.0/24\n«end»\n</Directory>\n',
    renderings: both('open'),
  },
  {
    name: 'a login in a branch',
    text: `<Directory /srv/www>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.1.0/24\n«if login»\n${LOGIN}    Satisfy Any\n«end»\n</Directory>\n`,
    renderings: both('login'),
  },
  {
    name: 'a section in each branch',
    text: '«if open»\n<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n«else»\n<Directory /srv/www>\n    Order allow,deny\n    Deny from all\n</Directory>\n«end»\n<Directory /srv/www/pub>\n    Order allow,deny\n    Allow from 127.0.1\n</Directory>\n',
    renderings: both('open'),
  },
  {
    name: 'networks in a loop',
    text: '<Location /pub>\n    Order deny,allow\n    Deny from all\n«for net in nets»\n    Allow from «=net»\n«done»\n</Location>\n',
    renderings: [{ nets: [] }, { nets: ['127.0.1.0/24', '127.0.2'] }, { nets: ['all'] }],
  },
  {
    name: 'networks in a value',
    text: '<Directory "/srv/www/pub">\n    Order deny,allow\n    Deny from all\n    Allow from «=nets»\n</Directory>\n<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
    renderings: [{ nets: 'all' }, { nets: '127.0.1.0/24 127.0.2' }],
  },
  {
    name: 'the order in a value',
    text: '<Directory /srv/www>\n    Order «=order»\n    Allow from 127.0.1\n    Deny from 127.0\n</Directory>\n',
    renderings: [{ order: 'allow,deny' }, { order: 'deny,allow' }],
  },
  {
    name: 'a directory in a value',
    text: '<Directory «=docroot»>\n    Options None\n    Order allow,deny\n    Allow from 127.0.1\n</Directory>\n',
    renderings: [{ docroot: '/srv/www' }, { docroot: '/srv/www/pub' }],
  },
  {
    name: 'a virtual host with values, and switches',
    text: 'KeepAlive «=keepalive»\nNameVirtualHost *:80\n<VirtualHost *:80>\n    ServerName «=name»\n    DocumentRoot /srv/www\n    <Directory /srv/www>\n        Order allow,deny\n        Allow from all\n        Deny from 127.0.2\n    </Directory>\n</VirtualHost>\n',
    renderings: [
      { keepalive: 'Off', name: 'a.example.org' },
      { keepalive: 'On', name: 'b.example.org' },
    ],
  },
  {
    name: 'a value of another line between the access lines',
    text: '<Directory /srv/www>\n    Order allow,deny\n    Options «if list»Indexes«else»None«end»\n    Allow from 127.0.1\n</Directory>\n',
    renderings: both('list'),
  },
  {
    name: 'branches in branches',
    text: '<Directory /srv/www>\n    Order deny,allow\n«if closed»\n    Deny from all\n«if office»\n    Allow from 127.0.1\n«end»\n«end»\n</Directory>\n<Files secret>\n    Order allow,deny\n    Deny from all\n</Files>\n',
    renderings: [
      { closed: true, office: true },
      { closed: true, office: false },
      { closed: false, office: false },
    ],
  },
  {
    name: 'a remark over several lines',
    text: '<Directory /srv/www/pub>\n    Order deny,allow\n    Deny from all\n«# the office came in once:\n    Allow from 127.0.1\nand again»\n    Allow from 127.0.2\n</Directory>\n',
    renderings: [{}, { open: true }],
  },
  {
    name: 'lines that nobody sees',
    text: '<Directory /srv/www/pub>\n    Order allow,deny\n    Allow from all\n«=extra»\n</Directory>\n',
    renderings: [{ extra: '    Deny from 127.0.1' }, { extra: '' }],
  },
  {
    name: 'a limit in a branch',
    text: '<Directory /srv/www/pub>\n«if limit»\n    <Limit POST>\n«end»\n        Order allow,deny\n        Deny from all\n«if limit»\n    </Limit>\n«end»\n</Directory>\n',
    renderings: both('limit'),
  },
  {
    name: 'sections in a loop',
    text: '<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n«for part in parts»\n<Directory /srv/www/«=part»>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.1\n</Directory>\n«done»\n',
    renderings: [{ parts: [] }, { parts: ['pub'] }, { parts: ['pub', 'b'] }],
  },
  {
    name: 'a main file with a branch far away',
    isMain: true,
    text: `${HEAD}«if any»\n<Location /pub>\n    Satisfy Any\n</Location>\n«end»\n<Directory /srv/www>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.1\n${LOGIN}</Directory>\n`,
    renderings: both('any'),
  },
  {
    name: 'a main file with a name in a value',
    isMain: true,
    text: `${HEAD}ServerName «=name»\n<Directory /srv/www>\n    Order deny,allow\n    Deny from all\n    Allow from 127.0.1\n</Directory>\n<Files secret>\n    Order allow,deny\n    Deny from all\n</Files>\n`,
    renderings: [{ name: 'a.example.org' }, { name: 'b.example.org' }],
  },
  {
    name: 'one of two sections in a branch of its own lines',
    text: '<Directory /srv/www>\n«if closed»\n    Order deny,allow\n    Deny from all\n«else»\n    Order allow,deny\n    Allow from all\n«end»\n</Directory>\n<Directory /srv/www/pub>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
    renderings: both('closed'),
  },
];
