/** What kind of file the text is, and what such a file alone does not show. */

export type Kind = 'main' | 'vhost' | 'htaccess';

export const KINDS: Readonly<Record<Kind, { readonly fileName: string; readonly unknown: string }>> = {
  main: {
    fileName: 'httpd.conf',
    unknown:
      'This file alone does not show the files that it includes, your .htaccess files, and the modules of the server.',
  },
  vhost: {
    fileName: 'vhost.conf',
    unknown:
      'This file alone does not show the main configuration file: its modules, its access control and its other virtual hosts.',
  },
  htaccess: {
    fileName: '.htaccess',
    unknown:
      'This file alone does not show AllowOverride, and the access control of the main configuration file and of the directories above.',
  },
};

/** The kind of a file by its name and its text. */
export function kindOf(name: string, text: string): Kind {
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (/^[._]?ht\.?access|^htaccess/i.test(base)) return 'htaccess';
  if (/^\s*<VirtualHost\b/im.test(text) && !/^\s*(?:ServerRoot|LoadModule)\s/im.test(text)) return 'vhost';
  return 'main';
}
