import type { SourceRecord } from '@collab-etl/contract/source'
import { listOf, type TextStore } from '../../format.ts'
import { keyOf, textOf } from '../../row.ts'
import { StoredTexts } from '../../stored-texts.ts'
import { EXCERPT, type ListedPost, postsPage } from '../pages/post-list.ts'
import { shortened, titleOf } from '../pages/words.ts'
import { mainText } from '../search/fields.ts'
import type { Section } from '../section.ts'

/** Writes the list of a project's posts, whose entries are in a store until then. */
export class PostSection {
  readonly #section: Section
  readonly #rows: StoredTexts
  /** The row of a post by its index in the path index. */
  readonly #rowOf = new Map<number, number>()

  constructor(section: Section, store: TextStore) {
    this.#section = section
    this.#rows = new StoredTexts(store)
  }

  /** @param written where its page is, and what the search finds in it */
  async add(record: SourceRecord, { address, searched }: { address: string; searched: string }): Promise<void> {
    const { map, tools, people } = this.#section
    const { row } = record
    const owner = tools.people.personOrNone(textOf(row, 'owner_uid'))
    const post: ListedPost = {
      title: shortened(titleOf(textOf(row, 'name')), 200),
      address,
      owner,
      ownerAddress: owner && (people?.link(owner, map.pathOf('posts.html')) ?? null),
      date: textOf(row, 'updated_at') ?? textOf(row, 'created_at'),
      excerpt: shortened(mainText(searched), EXCERPT),
      comments: listOf(record, 'post_comments').length,
    }
    this.#rowOf.set(map.places.posts.indexOf(keyOf(row, 'post_id')), await this.#rows.add(JSON.stringify(post)))
  }

  /** The latest posts, at most so many. */
  async *latest(most: number): AsyncGenerator<ListedPost> {
    for (const index of this.#section.map.postOrder.order.slice(0, most)) {
      const row = this.#rowOf.get(index)
      if (row !== undefined) yield JSON.parse(await this.#rows.at(row)) as ListedPost // `add` wrote it
    }
  }

  async end(): Promise<void> {
    const { map, pages } = this.#section
    const path = map.pathOf('posts.html')
    const pieces = postsPage(map.top(path), this.#rows.length, this.latest(this.#rows.length))
    await pages.stream({ path, title: 'Posts', sidebar: map.listSidebar(path, 'Posts'), isBroad: true }, pieces)
  }
}
