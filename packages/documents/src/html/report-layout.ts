import { hash } from 'node:crypto'
import { type AssetName, readAsset } from './assets.ts'
import { html, Markup } from './markup.ts'

/** The layout of a report. It is one file, which contains the style of the site and the scripts for language, theme and times. */
export interface ReportLayout {
  /** Everything before the main part. */
  opening(page: ReportHead): Markup
  /** Everything after it. */
  closing(foot: Markup): Markup
}

interface ReportHead {
  /** The title, and further elements of the head. */
  readonly head: Markup
  /** What the bar begins with. */
  readonly home: Markup
}

const STYLES = ['tokens.css', 'base.css', 'report.css'] as const satisfies AssetName[]

/** The kind of report; each has its own dictionary. */
type ReportKind = 'backup' | 'nightly'

async function readTogether(names: readonly AssetName[]): Promise<string> {
  return `\n${(await Promise.all(names.map(readAsset))).join('')}`
}

/** The inline script of a report. */
export function readReportScript(kind: ReportKind): Promise<string> {
  return readTogether(['start.js', 'zh.js', `zh-${kind}-report.js`, 'language.js', 'theme.js', 'reading.js'])
}

export async function readReportLayout(kind: ReportKind): Promise<ReportLayout> {
  const [style, script] = await Promise.all([readTogether(STYLES), readReportScript(kind)])
  const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`
  const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return {
    opening: ({ head, home }) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
${head}
<style>${new Markup(style)}</style>
<script>${new Markup(script)}</script>
</head>
<body class="report">
<a class="skip" href="#main" data-t>Skip to the text</a>
<header class="bar">${home}<div class="tools"></div></header>
<div class="layout">
<main id="main" tabindex="-1">
`,
    closing: (foot) => html`</main>
</div>
<footer class="foot">${foot}</footer>
</body>
</html>
`,
  }
}

/** A text of the interface, which a script translates; see `assets/language.js`. */
export function said(text: string): Markup {
  return html`<span data-t>${text}</span>`
}

/** `a, b and c`. */
export function listOf(items: readonly Markup[]): Markup {
  return html`<span data-t>${items.map((item, index) => {
    return html`${index > 0 && (index === items.length - 1 ? ' and ' : ', ')}${item}`
  })}</span>`
}
