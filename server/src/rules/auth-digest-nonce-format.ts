import { contentSpan, invalidCommand, removeLine } from './support/edits';
import type { LineRule } from './rule';

/** `AuthDigestNonceFormat`, which 2.2 only refused and 2.4 does not know. */
export const authDigestNonceFormat: LineRule = {
  id: 'auth-digest-nonce-format',
  title: 'AuthDigestNonceFormat, which was never implemented',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['authdigestnonceformat'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_auth_digest.html',
  page: {
    what: '`AuthDigestNonceFormat` is in the manual of 2.2, but no version of httpd implements it. Neither 2.2 nor 2.4 starts with this line.',
    why: '2.4 removed the directive from the code and from the manual. `AuthDigestNonceLifetime` is the directive that controls nonces.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'AuthDigestNonceFormat', perhaps misspelled or defined by a module not included in the server configuration`. The message " +
      'of 2.2 is `AuthDigestNonceFormat is not implemented (yet)`. 2.2 does not start with this line, either.',
    fixing:
      '- **Safe**: remove the line. Its only effect was to stop the server.\n' +
      '- **Suggestion** in a `.htaccess` file. There the line makes all requests get 500 in both versions.',
    sources: [
      'modules/aaa/mod_auth_digest.c of 2.2: set_nonce_format',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A line from the 2.2 manual',
      before:
        '<Directory "/srv/private">\n    AuthDigestNonceLifetime 300\n    AuthDigestNonceFormat base64\n</Directory>\n',
      after: '<Directory "/srv/private">\n    AuthDigestNonceLifetime 300\n</Directory>\n',
      finds: ['removed'],
    },
  ],
  check({ line }) {
    return [
      {
        messageId: 'removed',
        what: '`AuthDigestNonceFormat` was never implemented',
        help: 'Remove the line.',
        serverText: invalidCommand(line),
        ...contentSpan(line),
        tag: 'unnecessary',
        fixes: [{ title: 'Remove AuthDigestNonceFormat', safety: 'safe', edits: [removeLine(line)] }],
      },
    ];
  },
};
