import { html, Markup } from '@collab-etl/observability/report'
import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'
import type { Area } from './areas.ts'

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2.5rem; scroll-margin-top: 1rem; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
nav ul { columns: 16rem; list-style: none; padding: 0; } nav li { break-inside: avoid; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
td:last-child { min-width: 16rem; }
.area { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); align-items: start; }
.entity { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.entity b { background: var(--soft); display: block; padding: 0.25rem 0.5rem; }
.entity ul { list-style: none; margin: 0; padding: 0.25rem 0.5rem; font-size: 0.85em; }
.key { font-weight: 600; } pre { overflow-x: auto; }
`

/** The data dictionary as one HTML page without scripts and external requests: every reference is a link. */
export function dictionaryPage(
  { schema, historySchema, version, objects, relations }: SchemaDescription,
  areas: readonly (Area & { readonly text: string })[],
): string {
  const own = objects.filter((object) => object.schema === schema)
  const kinds = (['table', 'view', 'function'] as const).map((kind) => own.filter((object) => object.kind === kind))
  const past = objects.filter((object) => object.schema === historySchema)
  const all = [...relations, ...areas.flatMap((area) => area.relations)]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Data dictionary of ${schema}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<h1>Data dictionary</h1>
<p>Schema <code>${schema}</code>, version ${version}. Made by <code>collab-extract docs</code> from the comments in the database.
Schema <code>${historySchema}</code> holds superseded and deleted versions of ${past.length} tables.</p>
<nav>
${kinds.map((list, index) => list.length > 0 && html`<h2>${['Tables', 'Views', 'Functions'][index] ?? ''}</h2><ul>${list.map((object) => html`<li><a href="#${anchorOf(object)}"><code>${object.name}</code></a></li>`)}</ul>`)}
</nav>
<h2>Diagrams</h2>
<p>Columns in bold are keys; a column with an arrow names a row of another table or view. The database enforces none of it: what is named may never
have been read.</p>
${areas.map(areaOf)}
${kinds.map((list, index) => list.length > 0 && html`<h2>${['Tables', 'Views', 'Functions'][index] ?? ''} in detail</h2>${list.map((object) => objectOf(object, all))}`)}
</body>
</html>
`
  return page.text
}

/** The text of a diagram: `html` removes line breaks from values. */
function lines(text: string): Markup[] {
  return text.split('\n').map((line) => html`${line}\n`)
}

function areaOf({ title, objects, relations, text }: Area & { readonly text: string }): Markup {
  return html`<h3>${title}</h3>
<div class="area">${objects.map((object) => entityOf(object, relations))}</div>
<details><summary>As Mermaid</summary><pre><code>${lines(text)}</code></pre></details>
`
}

function entityOf(object: DescribedObject, relations: readonly Relation[]): Markup {
  const columns = object.columns.filter(({ name }) => !['extra', 'valid_from', 'deleted_at'].includes(name))
  return html`<div class="entity"><b><a href="#${anchorOf(object)}">${object.name}</a></b><ul>${columns.map(
    ({ name, key }) =>
      html`<li${key !== null && html` class="key"`}>${name}${targets(object.name, name, relations)}</li>`,
  )}</ul></div>`
}

/** Links to what a column names. */
function targets(table: string, column: string, relations: readonly Relation[]): Markup[] {
  const names = relations
    .filter((relation) => relation.table === table && relation.columns.at(-1) === column)
    .map(({ toTable }) => toTable)
  return [...new Set(names)].map((name) => html` → <a href="#${anchor(name)}">${name}</a>`)
}

function objectOf(object: DescribedObject, relations: readonly Relation[]): Markup {
  const { name, kind, comment, columns, signature } = object
  const isTable = kind === 'table'
  return html`<h3 id="${anchorOf(object)}"><code>${name}</code></h3>
${comment !== null && html`<p>${comment}</p>`}
${signature !== undefined && html`<p><code>${name}(${signature.arguments})</code> → <code>${signature.returns}</code></p>`}
${
  columns.length > 0 &&
  html`<div class="scroll"><table><thead><tr><th>column</th><th>type</th>${isTable && html`<th>key</th><th>null</th>`}<th>meaning</th></tr></thead><tbody>
${columns.map(
  (column) =>
    html`<tr><td><code>${column.name}</code></td><td><code>${column.type}</code></td>${
      isTable && html`<td>${column.key ?? ''}</td><td>${column.nullable ? 'yes' : ''}</td>`
    }<td>${column.comment ?? ''}${targets(name, column.name, relations)}</td></tr>
`,
)}</tbody></table></div>`
}
`
}

/** Functions may share the name of a view. */
function anchorOf({ kind, name, signature }: DescribedObject): string {
  return kind === 'function' ? anchor(`${name}(${signature?.arguments ?? ''})`) : anchor(name)
}

function anchor(name: string): string {
  return encodeURIComponent(name)
}
