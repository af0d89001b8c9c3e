import { hash } from 'node:crypto'
import { html, joined, Markup } from '@collab-etl/documents/html/parts'
import { REPORT_STYLE } from './style.ts'

/** Nothing may be loaded, and nothing runs: the one style is known by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', REPORT_STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Everything before the sections. */
export function opening(title: string): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<main>
`
}

/** Everything after them. */
export function closing(): Markup {
  return html`</main>
<footer>bag-info.txt, in the directory above this one, says when this backup was written. <a href="backup.json">backup.json</a> lists all unread items and conversion issues.</footer>
</body>
</html>
`
}

/** A column of a table. */
export interface Column {
  readonly title: string
  readonly isNumber?: true
}

type Cell = Markup | string | number

/** A table whose first column names the row. It scrolls in its own box on a phone. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], total?: readonly Cell[]): Markup {
  const classOf = (index: number) => (columns[index]?.isNumber ? html` class="number"` : null)
  const cells = (row: readonly Cell[]) =>
    joined(
      row.map((cell, index) =>
        index === 0 ? html`<th scope="row" dir="auto">${cell}</th>` : html`<td${classOf(index)}>${shown(cell)}</td>`,
      ),
    )
  const head = columns.map(({ title }, index) => html`<th scope="col"${classOf(index)}>${title}</th>`)
  return html`<div class="wide" tabindex="0" role="region" aria-label="${columns.map(({ title }) => title).join(', ')}"><table>
<thead><tr>${joined(head)}</tr></thead>
<tbody>
${joined(rows.map((row) => html`<tr>${cells(row)}</tr>\n`))}</tbody>
${total === undefined ? null : html`<tfoot><tr>${cells(total)}</tr></tfoot>\n`}</table></div>
`
}

function shown(cell: Cell): Markup | string {
  return typeof cell === 'number' ? cell.toLocaleString('en') : cell
}

/** A name of a record, linked to its file if it has one. */
export function named(title: string, address: string | null): Markup {
  return address === null ? html`<bdi>${title}</bdi>` : html`<a href="${address}"><bdi>${title}</bdi></a>`
}
