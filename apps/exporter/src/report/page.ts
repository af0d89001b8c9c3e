import { count, html, joined, type Markup } from '@collab-etl/documents/html/parts'

/** The foot of the page. */
export const FOOT = html`<span data-t>bag-info.txt, in the directory above this one, says when this backup was written.</span> <span data-t><a href="backup.json">backup.json</a> lists all unread items and conversion issues.</span>`

/** A column of a table. */
export interface Column {
  readonly title: string
  readonly isNumber?: true
}

type Cell = Markup | string | number

/**
 * A table whose first column names the row. It scrolls in its own box on a phone.
 * @param heading id of its heading
 */
export function table(
  heading: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  total?: readonly Cell[],
): Markup {
  const classOf = (index: number) => (columns[index]?.isNumber ? html` class="number"` : null)
  const cells = (row: readonly Cell[]) =>
    joined(
      row.map((cell, index) =>
        index === 0 ? html`<th scope="row" dir="auto">${cell}</th>` : html`<td${classOf(index)}>${shown(cell)}</td>`,
      ),
    )
  const head = columns.map(({ title }, index) => html`<th scope="col"${classOf(index)} data-t>${title}</th>`)
  return html`<div class="wide" tabindex="0" role="region" aria-labelledby="${heading}"><table>
<thead><tr>${joined(head)}</tr></thead>
<tbody>
${joined(rows.map((row) => html`<tr>${cells(row)}</tr>\n`))}</tbody>
${total === undefined ? null : html`<tfoot><tr>${cells(total)}</tr></tfoot>\n`}</table></div>
`
}

function shown(cell: Cell): Markup | string {
  return typeof cell === 'number' ? count(cell) : cell
}

/** A name of a record, linked to its file if it has one. */
export function named(title: string, address: string | null): Markup {
  return address === null ? html`<bdi>${title}</bdi>` : html`<a href="${address}"><bdi>${title}</bdi></a>`
}

/** A section that is closed in quiet reports. */
export function folded(heading: Markup, isOpen: boolean, body: Markup): Markup {
  return html`<details${isOpen && html` open`}><summary>${heading}</summary>
${body}</details>
`
}

/** A line with the number of items that a list does not show. */
export function more(number: number, of = ''): Markup | false {
  return number > 0 && html`<li class="soft" data-t>and ${count(number)} more${of}</li>\n`
}
