/** Renders docs/statechart.md's diagram in headless Chromium: it has to parse, and to show every state, label and note. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'dist/src/cli/main.js');
const text = execFileSync(process.execPath, [cli, 'chart'], { encoding: 'utf8' });

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) {
  console.error('No Chromium. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
  process.exit(2);
}

/** What a reader has to see: names of states, what stands on arrows and in states, the lines of notes. */
const labelsOf = (source) => [
  ...[...source.matchAll(/state "([^"]+)" as/g)].map(([, label]) => label),
  ...[...source.matchAll(/-->.* : (.+)$/gm)].map(([, label]) => label),
  ...[...source.matchAll(/^ *\w+ : (.+)$/gm)].map(([, label]) => label),
  ...[...source.matchAll(/^ *note .*\n([^]*?)^ *end note$/gm)].flatMap(([, note]) => note.trim().split('\n')),
];

const plain = (label) => label.replaceAll(/<br\/?>|#\w+;|\s+/g, '');

const timesIn = (texts, label) => texts.reduce((times, one) => times + one.split(label).length - 1, 0);

const mermaid = createRequire(import.meta.url).resolve('mermaid/dist/mermaid.min.js');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1_800, height: 1_400 }, deviceScaleFactor: 1 });
  await page.setContent(
    '<!doctype html><body style="margin:0;background:white"><div id="chart"></div></body>',
  );
  await page.addScriptTag({ content: readFileSync(mermaid, 'utf8') });
  const svg = await page.evaluate(async (source) => {
    const { mermaid: renderer } = globalThis;
    renderer.initialize({ startOnLoad: false, maxTextSize: 200_000, maxEdges: 1_000 });
    const rendered = await renderer.render('statechart', source);
    document.querySelector('#chart').innerHTML = rendered.svg;
    return rendered.svg;
  }, text);
  const folder = mkdtempSync(join(tmpdir(), 'turnstile-chart-'));
  writeFileSync(join(folder, 'chart.svg'), svg);
  await page.locator('#chart').screenshot({ path: join(folder, 'chart.png') });
  const shown = await page.evaluate(() =>
    document.querySelector('#chart').textContent.replaceAll(/\s+/g, ''),
  );
  const wanted = labelsOf(text).map(plain);
  // As often as it is wanted: `run.resumed` stands on arrows, within states, and in the note.
  const missing = [...new Set(wanted)].filter((label) => timesIn([shown], label) < timesIn(wanted, label));
  console.log(
    `${wanted.length} states and labels, ${missing.length} missing. ${join(folder, 'chart.svg')} ${join(folder, 'chart.png')}`,
  );
  for (const label of missing) console.log(`missing: ${label}`);
  if (missing.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
}
