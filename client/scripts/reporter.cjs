// Prints like one of mocha's own reporters (--reporter-option base=dot), and writes the titles of
// skipped tests into the file in HTTPD_UPGRADE_SKIPPED, where test/support/lacks.ts writes the
// reasons. client/scripts/test.mjs reads both.
const { appendFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = function (runner, options) {
  const skipped = [];
  runner.on('pending', (test) => skipped.push(test.fullTitle()));
  runner.once('end', () => {
    const { HTTPD_UPGRADE_SKIPPED: list } = process.env;
    if (list) appendFileSync(list, skipped.map((title) => `${JSON.stringify({ skipped: title })}\n`).join(''));
  });
  return new reporters[options.reporterOptions.base](runner, options);
};
