import type { Person } from '../../people.ts'
import type { Attachment, ShownComment } from '../../views/comments.ts'
import { html, joined, type Markup } from '../markup.ts'
import { said } from '../report-layout.ts'
import type { SearchField } from '../search/fields.ts'
import type { RenderedText } from '../text/render.ts'
import { personLink, personLinks } from './chips.ts'
import { breadcrumb, type PageLink } from './layout.ts'
import { counted, languageOf, time, titleOf } from './words.ts'

/** A comment under a post, file or task. */
export interface RenderedComment extends Omit<ShownComment, 'text'> {
  /** Address of the author's page; `null` if there is none. */
  readonly authorAddress: string | null
  readonly text: RenderedText
}

/** What the search finds in a comment. */
export function searchedIn({ author, text }: RenderedComment): SearchField {
  return ['comment', author?.name ? `${author.name}: ${text.plain}` : text.plain]
}

/** The contents of the main part of a page or post. */
export interface RecordPage {
  readonly kind: 'page' | 'post'
  readonly id: string
  readonly pid: string
  readonly title: string | null
  readonly owner: Person | null
  /** The address of a person's page; `null` if there is none. */
  readonly linkTo: (person: Person) => string | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly watchers: readonly Person[]
  /** The pages above it, from the list of all projects down. */
  readonly above: readonly PageLink[]
  readonly before: PageLink | null
  readonly after: PageLink | null
  /** Explains a text that is not the record's content as usual; `null` otherwise. */
  readonly note: string | null
  readonly text: RenderedText
  readonly comments: readonly RenderedComment[]
}

/** Number of headings from which a text gets a table of contents. */
const MIN_HEADINGS = 3

export function recordPage(page: RecordPage): Markup {
  const title = titleOf(page.title)
  const { text } = page
  return html`${breadcrumb(page.above, title)}
<article class="record">
<header>
<h1 lang="${languageOf(title)}" dir="auto">${title}</h1>
<p class="about">${about(page)}</p>
</header>
${page.note !== null && html`<p class="note" data-t>${page.note}</p>`}
${contents(text.headings)}
<div class="text" lang="${languageOf(text.plain)}" dir="${text.dir}">
${text.plain === '' && html`<p class="empty" data-t>There is no text.</p>`}${text.markup}
</div>
${page.kind === 'post' && commentList(page.comments)}
${details(page)}
</article>
${ways(page)}`
}

function about({ kind, owner, linkTo, createdAt, updatedAt }: RecordPage): Markup {
  const parts = [
    html`<span class="kind" data-t>${kind === 'page' ? 'Page' : 'Post'}</span>`,
    ...(owner ? [html`<span data-t>by <b>${personLink(owner, linkTo(owner))}</b></span>`] : []),
    ...(createdAt ? [html`<span data-t>created ${time(createdAt)}</span>`] : []),
    ...(updatedAt && updatedAt !== createdAt ? [html`<span data-t>updated ${time(updatedAt)}</span>`] : []),
  ]
  return html`${joined(parts)}`
}

function contents(headings: RenderedText['headings']): Markup | null {
  if (headings.length < MIN_HEADINGS) return null
  const items = headings.map(({ id, level, title }) => html`<li class="h${level}"><a href="#${id}">${title}</a></li>`)
  return html`<details class="contents"><summary data-t>On this page</summary><ul>${joined(items)}</ul></details>`
}

const TYPE_NOTES: Readonly<Record<number, string>> = { 2: 'emotion', 3: 'audio' }

/** The comments of a post or task. */
export function commentList(list: readonly RenderedComment[]): Markup {
  if (list.length === 0) return html`<section class="comments"><h2 data-t>No comments</h2></section>`
  return html`<section class="comments" id="comments"><h2 data-t>${counted(list.length, 'comment')}</h2>
${joined(list.map((comment) => commentArticle(comment, `comment-${encodeURIComponent(comment.cid.toWellFormed())}`)))}</section>`
}

/** A comment; `anchor` is its id in the page. */
export function commentArticle(comment: RenderedComment, anchor: string): Markup {
  const { author, authorAddress, createdAt, type, text, attachments } = comment
  const note = TYPE_NOTES[type ?? 1]
  const when = createdAt === null ? html`<span data-t>no date</span>` : time(createdAt)
  return html`<article class="comment" id="${anchor}">
<header><b dir="auto">${author ? personLink(author, authorAddress) : html`<span data-t>Unknown</span>`}</b> <a class="when" href="#${encodeURIComponent(anchor)}">${when}</a>${note !== undefined && html` <span class="badge" data-t>${note}</span>`}</header>
<div class="text" lang="${languageOf(text.plain)}" dir="${text.dir}">${text.markup}</div>
${attachmentList(attachments)}
</article>
`
}

/** The files attached to a comment or a task. */
export function attachmentList(attachments: readonly Attachment[]): Markup | null {
  if (attachments.length === 0) return null
  return html`<ul class="files" aria-label="Attached files" data-t>${joined(attachments.map(file))}</ul>`
}

function file({ fid, name }: Attachment): Markup {
  return html`<li>${name === null ? said('unnamed file') : html`<span dir="auto">${name}</span>`} <small data-t>file <code>${fid}</code>, not in the backup</small></li>`
}

function details({ id, pid, kind, watchers, linkTo }: RecordPage): Markup {
  return html`<details class="details"><summary data-t>Details</summary>
<dl><dt data-t>${kind === 'page' ? 'Page' : 'Post'} id</dt><dd><code>${id}</code></dd>
<dt data-t>Project id</dt><dd><code>${pid}</code></dd>
<dt data-t>Watchers</dt><dd>${watchers.length === 0 ? html`<span data-t>none</span>` : personLinks(watchers, linkTo)}</dd></dl></details>`
}

function ways({ kind, before, after }: RecordPage): Markup | null {
  if (before === null && after === null) return null
  const [back, forth] = kind === 'page' ? ['Previous', 'Next'] : ['Newer', 'Older']
  const way = (to: PageLink | null, rel: 'prev' | 'next', word: string) =>
    to
      ? html`<a rel="${rel}" href="${to.address}"><small data-t>${word}</small><span class="clamped" dir="auto">${titleOf(to.title)}</span></a>`
      : html`<span></span>`
  return html`<nav class="ways" aria-label="${back} and ${(forth ?? '').toLowerCase()}" data-t>${way(before, 'prev', back ?? '')}${way(after, 'next', forth ?? '')}</nav>`
}
