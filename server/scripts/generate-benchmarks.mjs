// Writes docs/benchmarks.md and its picture from the records of test/bench.
//
//   node server/scripts/generate-benchmarks.mjs           writes them if they have changed
//   node server/scripts/generate-benchmarks.mjs --check   only reports whether it would, and then fails
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root, write } from './written.mjs';

const recorded = (name) => JSON.parse(readFileSync(path.join(root, 'test', 'bench', name), 'utf8'));
const main = recorded('results.json');
const workspace = recorded('workspace-results.json');
const access = recorded('access-results.json');

write({
  'docs/benchmarks.md': page(),
  'docs/pictures/benchmarks.svg': picture(
    main.rows.filter(({ peers, unit }) => unit === 'ms' && Object.keys(peers).length > 0),
  ),
});

function page() {
  const rows = main.rows.map(({ what, lines, ours, unit, cpu, peers }) => {
    const others = Object.entries(peers).map(
      ([name, value]) => `${name}: ${amount(value, unit)} (${ratio(ours, value)})`,
    );
    return `| ${what} | ${lines === undefined ? '' : lines.toLocaleString('en')} | ${amount(ours, unit)}${cpu === undefined ? '' : ` (processor ${amount(cpu, 'ms')})`} | ${others.join('<br>') || '–'} |`;
  });
  const large = workspace.rows.map(
    ({ files, lines, first, keystrokeMs, memoryMB }) =>
      `| ${files.toLocaleString('en')} | ${lines.toLocaleString('en')} | ${first.seconds.toFixed(1)} s | ${keystrokeMs.p50.toFixed(1)} ms, ${keystrokeMs.p99.toFixed(1)} ms | ${Math.round(memoryMB.last)} MB |`,
  );
  return `# Benchmarks

Recorded on a machine with ${main.cores} cores (${main.cpu}), node ${main.node}. For comparison, httpd and language servers for JSON and CSS were measured in the same run, in turns with httpd-upgrade. The times depend on the machine. The ratios between the times of two programs depend on it less.

![Time of httpd-upgrade and of other programs, on a logarithmic scale](pictures/benchmarks.svg)

| what | lines | httpd-upgrade | other programs (their time to ours) |
|---|---|---|---|
${rows.join('\n')}

The last column compares httpd-upgrade with other programs. \`apache2 -t\` and \`check\` read the same
file, each in a new process. \`augtool\` only parses the file. Processor time is the sum of all
threads of a process. For keystrokes, the language services of VS Code for JSON and CSS do the same
work on a JSON or CSS file with as many lines.

## A directory of many files

The language server opens a directory of virtual hosts, reports all problems, and then answers keystrokes.

| files | lines | all problems after | a keystroke (median, 99th percentile) | memory |
|---|---|---|---|---|
${large.join('\n')}

## Access control

${access.generated.configurations.toLocaleString('en')} generated configurations were converted, and ${access.generated.requests.toLocaleString('en')} requests were decided in ${access.generated.seconds} s. In ${access.generated.disagreements} cases, 2.4 decided differently after the conversion than 2.2 before it.

## To run them

\`\`\`sh
npm run bench             # the first table, into test/bench/results.json: half an hour
npm run bench -- old-1000 # some of its rows; the others stay as they were recorded
npm run bench:requests    # each request at 100,000 lines, in the server's processor time; prints only
npm run bench:workspace   # the second
npm run bench:access      # the third; --generate N for N configurations
npm run generate          # this page and its picture
\`\`\`

Run nothing else on the machine while you measure. Tests never measure time: those in test/cost
count the work instead.
`;
}

function amount(value, unit) {
  if (unit !== 'ms') return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit}`;
  return value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value >= 10 ? Math.round(value) : value.toFixed(2)} ms`;
}

function ratio(ours, other) {
  const times = other / ours;
  return times >= 10 ? `${Math.round(times)} ×` : `${times.toFixed(1)} ×`;
}

/** Bars on a logarithmic scale, readable on light and dark pages. */
function picture(rows) {
  const bars = rows.flatMap(({ what, lines, ours, unit, peers }) => [
    { heading: `${what}, ${lines.toLocaleString('en')} lines` },
    { name: 'httpd-upgrade', value: ours, unit, isOurs: true },
    ...Object.entries(peers).map(([name, value]) => ({ name, value, unit })),
  ]);
  const [least, most] = [0.05, Math.max(...bars.map(({ value = 0 }) => value))];
  const width = (value) =>
    Math.max(2, Math.round((Math.log10(Math.max(value, least) / least) / Math.log10(most / least)) * 360));
  const step = 20;
  const drawn = bars.map((bar, index) => {
    const y = 10 + index * step;
    if (bar.heading) return `<text x="10" y="${y + 14}" class="heading">${escaped(bar.heading)}</text>`;
    return `<text x="220" y="${y + 13}" class="name">${escaped(bar.name)}</text><rect x="230" y="${y + 3}" width="${width(bar.value)}" height="12" class="${bar.isOurs ? 'ours' : 'peer'}"/><text x="${236 + width(bar.value)}" y="${y + 13}">${amount(bar.value, bar.unit)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 ${20 + bars.length * step}" role="img" aria-label="Time of httpd-upgrade and of other programs">
<style>
text { font: 12px sans-serif; fill: #24292f; } .name { text-anchor: end; } .heading { font-weight: bold; } .ours { fill: #1f6feb; } .peer { fill: #8c959f; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .ours { fill: #58a6ff; } .peer { fill: #6e7681; } }
</style>
${drawn.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
