import type { FileView } from '../../views/file.ts'
import { readableSize } from '../../views/values.ts'
import { html, joined, type Markup } from '../markup.ts'
import type { RenderedText } from '../text/render.ts'
import { personLink } from './chips.ts'
import { counted, languageOf, time, titleOf } from './words.ts'

/** A page, post or comment that names a file. */
export interface FileReference {
  readonly title: string | null
  /** From the project's folder. */
  readonly address: string
}

/** The heading of the list of files. */
export function filesHeader(files: number, folders: number): Markup {
  return html`<header><h1>Files</h1>
<p class="about"><span>${counted(files, 'file')}</span><span>${counted(folders, 'folder')}</span></p></header>
<p class="note">The backup has what the service says of these files, but not their bytes: its API does not give them.</p>
`
}

/** The beginning of the files of a folder. */
export function folderHeading(names: readonly string[]): Markup {
  const path =
    names.length === 0 ? html`Top folder` : joined(names.map((name, at) => html`${at > 0 && ' / '}<bdi>${name}</bdi>`))
  return html`<h2 class="folder">${path}</h2>
<ul class="file-list">
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
  const facts = [
    ...(file.isFolder ? [html`<span class="badge">folder</span>`] : [size(file.bytes)]),
    ...(file.owner === null ? [] : [html`<span>by ${personLink(file.owner, owner)}</span>`]),
    ...(file.createdAt === null ? [] : [html`<span>uploaded ${time(file.createdAt)}</span>`]),
    ...(file.updatedAt === null || file.updatedAt === file.createdAt
      ? []
      : [html`<span>updated ${time(file.updatedAt)}</span>`]),
    ...(file.path === null || file.path === '' ? [] : [html`<span dir="auto">${file.path}</span>`]),
  ]
  const from = references.map(
    ({ title, address }) => html`<li><a href="${address}" dir="auto">${titleOf(title)}</a></li>`,
  )
  return html`<li class="file" id="${anchor}"><h3><span dir="auto" lang="${languageOf(name)}">${name}</span></h3>
<p class="facts">${joined(facts)}<code>${file.id}</code></p>
${about.plain !== '' && html`<div class="text" lang="${languageOf(about.plain)}" dir="${about.dir}">${about.markup}</div>`}${from.length > 0 && html`<p class="referenced">Referenced in</p><ul class="references">${joined(from)}${more > 0 && html`<li>and ${more.toLocaleString('en')} more</li>`}</ul>`}${commentCount > 0 && html`<details><summary>${counted(commentCount, 'comment')}</summary>${comments}</details>`}</li>
`
}

function size(bytes: bigint | null): Markup {
  if (bytes === null) return html`<span>size unknown</span>`
  return html`<span title="${bytes.toLocaleString('en')} bytes">${readableSize(bytes)}</span>`
}
