/**
 * The reasons of OpenSSL, as mod_ssl logs them after `SSL Library Error: ` or in lines of their own
 * (ssl_engine_log.c: ssl_log_ssl_error). The words are OpenSSL's (ssl/ssl_err.c,
 * crypto/pem/pem_err.c, crypto/evp/evp_err.c); the numbers differ between its releases.
 */

type OpensslRow = readonly [
  title: string,
  /** Pieces of the line, in lower case. */
  words: readonly string[],
  meaning: string,
  remedy: string,
  about: readonly string[],
];

/** The first row with a piece in the line is used. */
export const OPENSSL_ROWS: readonly OpensslRow[] = [
  [
    'OpenSSL: unexpected eof while reading',
    ['unexpected eof while reading'],
    'The other side closed the TLS connection without the usual end. This is normal now and then.',
    'Do nothing.',
    ['mod_ssl'],
  ],
  [
    'OpenSSL: http request',
    [':http request'],
    'The client used http:// on a port for https://.',
    'Correct the URL or the link: https:// for this port.',
    ['SSLEngine'],
  ],
  [
    'OpenSSL: wrong version number',
    ['wrong version number', ':unknown protocol'],
    'The other side does not speak TLS on this port. A backend often has http:// on this port, but `ProxyPass` says https://.',
    'For a backend, write http:// in `ProxyPass`, or use its port for https://. For clients that you do not know, do nothing.',
    ['ProxyPass', 'SSLEngine'],
  ],
  [
    'OpenSSL: unsupported protocol',
    ['unsupported protocol', 'alert protocol version', 'version too low', 'no protocols available'],
    'The two sides have no version of TLS in common. New releases of OpenSSL do not offer TLS 1.0 and 1.1.',
    'Update the client or the backend. Or compare its versions with `SSLProtocol` and, for backends, `SSLProxyProtocol`.',
    ['SSLProtocol', 'SSLProxyProtocol'],
  ],
  [
    'OpenSSL: no shared cipher',
    ['no shared cipher', 'no suitable signature algorithm'],
    'The two sides have no cipher, or no algorithm for signatures, in common. Often an old client is the reason, or a kind of certificate that the client does not know.',
    'Update the client, or compare its ciphers with `SSLCipherSuite`. Scanners also cause such lines.',
    ['SSLCipherSuite', 'SSLCertificateFile'],
  ],
  [
    'OpenSSL: alert handshake failure',
    ['alert handshake failure'],
    'The other side ended the handshake: it accepts none of the versions and ciphers of httpd, or it wants a certificate that it did not get.',
    'For a backend, check `SSLProxyProtocol`, `SSLProxyCipherSuite` and `SSLProxyMachineCertificateFile`. For clients, check `SSLProtocol` and `SSLCipherSuite`.',
    ['SSLProxyProtocol', 'SSLProxyCipherSuite', 'SSLProxyMachineCertificateFile', 'SSLProtocol'],
  ],
  [
    'OpenSSL: the other side rejects the certificate of httpd',
    ['alert unknown ca', 'alert bad certificate', 'alert certificate unknown', 'alert certificate expired'],
    'The client, or a backend that asked for a certificate, does not accept the certificate of httpd. Often the chain to its issuer is missing, or the certificate is expired.',
    'Add the chain to `SSLCertificateFile`, and check the date of the certificate. A client must know the issuer of a self-made certificate.',
    ['SSLCertificateFile'],
  ],
  [
    'OpenSSL: certificate verify failed',
    ['certificate verify failed'],
    'httpd does not accept the certificate of a client or a backend. The line before it (AH02276 or AH02039) has the reason.',
    'For clients, check `SSLCACertificateFile`. For backends, check `SSLProxyCACertificateFile`.',
    ['SSLCACertificateFile', 'SSLProxyCACertificateFile'],
  ],
  [
    'OpenSSL: peer did not return a certificate',
    ['did not return a certificate'],
    'The client sent no certificate, but `SSLVerifyClient require` needs one.',
    'If the client should have access, install a certificate in it that `SSLCACertificateFile` accepts. Otherwise do nothing.',
    ['SSLVerifyClient', 'SSLCACertificateFile'],
  ],
  [
    'OpenSSL: extension not received',
    ['extension not received'],
    'The client with TLS 1.3 cannot send its certificate after the handshake. AH10158 is about the same request.',
    'Move `SSLVerifyClient` to the virtual host, or set `SSLProtocol all -TLSv1.3 -SSLv3`.',
    ['SSLVerifyClient', 'SSLProtocol'],
  ],
  [
    'OpenSSL: no certificate assigned',
    ['no certificate assigned'],
    'The virtual host has no certificate that OpenSSL can use.',
    'Check `SSLCertificateFile` and `SSLCertificateKeyFile`. The line before it names the virtual host.',
    ['SSLCertificateFile', 'SSLCertificateKeyFile'],
  ],
  [
    'OpenSSL: no cipher match',
    ['no cipher match'],
    'OpenSSL knows none of the ciphers in `SSLCipherSuite` or `SSLProxyCipherSuite`.',
    'Correct the line, or remove it to use the default.',
    ['SSLCipherSuite', 'SSLProxyCipherSuite'],
  ],
  [
    'OpenSSL: key too small or hash too weak',
    ['key too small', 'md too weak'],
    'The new OpenSSL does not accept a key that is so short, or a hash that is so weak. Often the OpenSSL of the 2.2 server accepted it.',
    'Get a new certificate with a key of at least 2048 bits. For "dh key too small", create new parameters: `openssl dhparam 2048`.',
    ['SSLCertificateFile', 'SSLCertificateKeyFile'],
  ],
  [
    'OpenSSL: key values mismatch',
    ['key values mismatch'],
    'The private key does not belong to the certificate.',
    'Correct `SSLCertificateFile` or `SSLCertificateKeyFile`.',
    ['SSLCertificateFile', 'SSLCertificateKeyFile'],
  ],
  [
    'OpenSSL: the password of a key is wrong',
    ['bad decrypt', 'bad password read'],
    'A private key has a password, and httpd got a wrong one or none.',
    'Check the password with `openssl pkey -in FILE -noout`, and check `SSLPassPhraseDialog`.',
    ['SSLPassPhraseDialog', 'SSLCertificateKeyFile'],
  ],
  [
    'OpenSSL: a key or certificate cannot be read',
    [
      'no start line',
      'bad end line',
      'bad base64 decode',
      'pem lib',
      'no certificate or crl found',
      'decoder routines',
      'asn1 encoding routines',
    ],
    'OpenSSL cannot read a key, a certificate or a CRL: the file is not in PEM form, it is the wrong file, or its password is wrong. Often several such lines follow each other.',
    'The lines of mod_ssl before and after it name the file. Check it with `openssl x509 -in FILE -noout` or `openssl pkey -in FILE -noout`.',
    ['SSLCertificateFile', 'SSLCertificateKeyFile'],
  ],
];

/** Users search with these words; the others are also words of other pages. */
const SEARCHED = [
  'no start line',
  'ee key too small',
  'ca md too weak',
  'dh key too small',
  'key values mismatch',
  'unsupported protocol',
  'wrong version number',
  'no cipher match',
  'certificate verify failed',
];

/** The words of a row that users search with. */
export function searchedWords(words: readonly string[]): string[] {
  return SEARCHED.filter((searched) => words.some((word) => searched.includes(word)));
}

/** The title of the page for a line of OpenSSL; undefined if its reason has no page. */
export function opensslTitle(line: string): string | undefined {
  const lower = line.toLowerCase();
  return OPENSSL_ROWS.find(([, words]) => words.some((word) => lower.includes(word)))?.[0];
}
