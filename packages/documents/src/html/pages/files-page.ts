import type { FileView } from '../../views/file.ts'
import { readableSize } from '../../views/values.ts'
import { html, joined, type Markup } from '../markup.ts'
import type { RenderedText } from '../text/render.ts'
import { personLink } from './chips.ts'
import { counted, day, languageOf, titleOf } from './words.ts'

/** A page, post or comment that names a file. */
export interface FileReference {
  readonly title: string | null
  /** From the project's folder. */
  readonly address: string
}

/** The heading of the list of files. */
export function filesHeader(files: number, folders: number): Markup {
  return html`<header class="head"><h1 data-t>Files</h1>
<p class="about"><span data-t>${counted(files, 'file')}</span><span data-t>${counted(folders, 'folder')}</span></p></header>
<p class="note" data-t>The backup has what the service says of these files, but not their bytes: its API does not give them.</p>
`
}

const COLUMNS = ['Name', 'Size', 'Uploaded by', 'Uploaded', 'Referenced in'] as const

/** What ends the files of a folder. */
export const FOLDER_END = html`</tbody></table>\n`

/** The beginning of the files of a folder. */
export function folderHeading(names: readonly string[]): Markup {
  const path =
    names.length === 0
      ? html`<span data-t>Top folder</span>`
      : joined(names.map((name, at) => html`${at > 0 && ' / '}<bdi>${name}</bdi>`))
  return html`<h2 class="folder">${path}</h2>
<table class="task-table file-table"><thead><tr>${joined(COLUMNS.map((name) => html`<th scope="col" data-t>${name}</th>`))}</tr></thead>
<tbody>
`
}

/** The entry of a file or folder. */
export function fileEntry(
  file: FileView,
  parts: {
    readonly anchor: string
    readonly about: RenderedText
    /** Address of the uploader's page. */
    readonly owner: string | null
    readonly references: readonly FileReference[]
    /** References that are not shown. */
    readonly more: number
    readonly comments: Markup
    readonly commentCount: number
  },
): Markup {
  const { anchor, about, owner, references, more, comments, commentCount } = parts
  const name = titleOf(file.name)
  const from = references.map(
    ({ title, address }) => html`<li><a class="clamped" href="${address}" dir="auto">${titleOf(title)}</a></li>`,
  )
  const path = (file.path ?? '') === '' ? file.id : `${file.path} (${file.id})`
  const isUpdated = file.updatedAt !== null && file.updatedAt !== file.createdAt
  return html`<tr class="file" id="${anchor}"><td><span class="name" dir="auto" lang="${languageOf(name)}" title="${path}">${name}</span>${file.isFolder && html` <span class="badge" data-t>folder</span>`}
${about.plain !== '' && html`<div class="text" lang="${languageOf(about.plain)}" dir="${about.dir}">${about.markup}</div>`}${commentCount > 0 && html`<details><summary data-t>${counted(commentCount, 'comment')}</summary>${comments}</details>`}</td><td data-name="Size" data-t>${!file.isFolder && size(file.bytes)}</td><td data-name="Uploaded by" data-t>${file.owner && personLink(file.owner, owner)}</td><td data-name="Uploaded" data-t>${day(file.createdAt)}${isUpdated && html` <small data-t>updated ${day(file.updatedAt)}</small>`}</td><td data-name="Referenced in" data-t>${from.length > 0 && html`<ul class="references">${joined(from)}${more > 0 && html`<li data-t>and ${more.toLocaleString('en')} more</li>`}</ul>`}</td></tr>
`
}

function size(bytes: bigint | null): Markup {
  if (bytes === null) return html`<span data-t>not known</span>`
  return html`<span title="${bytes.toLocaleString('en')} bytes">${readableSize(bytes)}</span>`
}
