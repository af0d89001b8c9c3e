import type { Person } from '../../people.ts'
import { html, type Markup } from '../markup.ts'
import { personLink } from './chips.ts'
import { breadcrumb, type PageLink } from './layout.ts'
import { counted, day, languageOf } from './words.ts'

/** A post in a list. */
export interface ListedPost {
  readonly title: string
  /** From the project's folder. */
  readonly address: string
  readonly owner: Person | null
  /** Address of the owner's page; `null` if there is none. */
  readonly ownerAddress: string | null
  readonly date: string | null
  readonly excerpt: string
  readonly comments: number
}

/** UTF-16 units of the beginning of a post that lists show. */
export const EXCERPT = 220

/** The main part of the list of all posts, piece by piece. */
export async function* postsPage(
  above: readonly PageLink[],
  total: number,
  posts: AsyncIterable<ListedPost>,
): AsyncGenerator<Markup> {
  yield breadcrumb(above, 'Posts', true)
  yield html`<header class="head"><h1 data-t>Posts</h1><p class="about"><span data-t>${counted(total, 'post')}</span><span data-t>the latest first</span></p></header>\n`
  yield* postList(total, posts)
}

/** The posts of a list. */
export async function* postList(total: number, posts: AsyncIterable<ListedPost>): AsyncGenerator<Markup> {
  if (total === 0) {
    yield html`<p class="empty" data-t>There are no posts.</p>\n`
    return
  }
  yield html`<ul class="post-list">\n`
  for await (const post of posts) yield entry(post)
  yield html`</ul>\n`
}

function entry({ title, address, owner, ownerAddress, date, excerpt, comments }: ListedPost): Markup {
  return html`<li><a class="clamped" href="${address}" dir="auto" lang="${languageOf(title)}">${title}</a>
<p class="about">${owner && html`<span data-t>by ${personLink(owner, ownerAddress)}</span>`}${date !== null && html`<span>${day(date)}</span>`}${comments > 0 && html`<span data-t>${counted(comments, 'comment')}</span>`}</p>
${excerpt !== '' && html`<p class="excerpt clamped" dir="auto" lang="${languageOf(excerpt)}">${excerpt}</p>`}</li>
`
}
