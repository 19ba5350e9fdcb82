// What one of mocha's own reporters prints (--reporter-option base=dot); and the titles of what was
// skipped go into the file that HTTPD_UPGRADE_SKIPPED names, where test/support/lacks.ts writes
// why. client/scripts/test.mjs reads both.
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
