import { ChildRows } from '../child-rows.ts'
import { type Content, contentOf } from '../content.ts'
import type { ProjectPlaces } from '../path-index.ts'
import { type Attachments, attachmentsOf, inTimeOrder, shownComment } from '../post-rows.ts'
import { keyOf, type Row, textOf } from '../row.ts'
import type { StartScript } from './assets.ts'
import type { Markup } from './markup.ts'
import { closing, opening } from './pages/layout.ts'
import { postsPage, projectPage } from './pages/project-page.ts'
import { type RecordPage, type RenderedComment, recordPage } from './pages/record-page.ts'
import { titleOf } from './pages/words.ts'
import { ProjectMap, type Surroundings } from './project-map.ts'
import { RecordTexts, type TextPlace } from './record-texts.ts'
import { ShardWriter } from './search/shard-writer.ts'
import type { Terms } from './search/terms.ts'
import { addressOf } from './site-paths.ts'
import type { SiteTools } from './tools.ts'

interface ProjectSiteTools extends SiteTools {
  readonly start: StartScript
  readonly terms: Terms
}

/** Writes one project's part of the site. */
export class ProjectSite {
  readonly #tools: ProjectSiteTools
  readonly #pid: string
  readonly #row: Row | null
  readonly #map: ProjectMap
  readonly #texts: RecordTexts
  readonly #shards: ShardWriter

  /** `row` is the project's own; `null` where only what belongs to it was read. */
  constructor(tools: ProjectSiteTools, pid: string, places: ProjectPlaces, row: Row | null) {
    this.#tools = tools
    this.#pid = pid
    this.#row = row
    this.#map = new ProjectMap(places, row && textOf(row, 'name'))
    this.#texts = new RecordTexts(tools)
    this.#shards = new ShardWriter(tools.bag, this.#map.folder, tools.terms)
  }

  /** Gives its folder, relative to the site's, and the names of the shards of its search index. */
  async write(): Promise<{ folder: string; shards: readonly string[] }> {
    await this.#writeIndex()
    await this.#writePostsList()
    await this.#writePages()
    await this.#writePosts()
    return { folder: this.#map.folder, shards: await this.#shards.end() }
  }

  async #writeIndex(): Promise<void> {
    const labels = []
    for await (const label of this.#tools.source.rows('project_labels', { pid: this.#pid })) {
      labels.push({ name: keyOf(label, 'name'), description: textOf(label, 'description') })
    }
    const row = this.#row
    const { places, pageOrder, postOrder } = this.#map
    const pieces = projectPage({
      ...{ name: row && textOf(row, 'name'), labels, archived: row?.['archived'] === true },
      ...{ description: row && textOf(row, 'description'), postsList: 'posts.html', home: '../index.html' },
      ...{ pages: places.pages, pageOrder, posts: places.posts, postOrder: postOrder.order },
      addressOf: fromProject,
    })
    await this.#writeList(this.#map.pathOf('index.html'), this.#frameTitle(), null, pieces)
  }

  async #writePostsList(): Promise<void> {
    const { path, sidebar, above } = this.#map.postsList()
    const pieces = postsPage(above, this.#map.places.posts, this.#map.postOrder.order, fromProject)
    await this.#writeList(path, 'Posts', sidebar, pieces)
  }

  async #writePages(): Promise<void> {
    const { source } = this.#tools
    await using watchers = new ChildRows(source.rows('page_watchers', { pid: this.#pid }), 'page_id')
    for await (const row of source.rows('pages', { pid: this.#pid })) {
      const id = keyOf(row, 'page_id')
      const around = this.#map.page(id)
      const place: TextPlace = { pid: this.#pid, path: around.path, stream: 'pages', recordKey: id }
      await this.#writeRecord(row, { kind: 'page', id, around, watchers: await watchers.of(id), comments: [], place })
    }
  }

  async #writePosts(): Promise<void> {
    const { source } = this.#tools
    const attachments = await attachmentsOf(source, this.#pid)
    await using watchers = new ChildRows(source.rows('post_watchers', { pid: this.#pid }), 'post_id')
    await using commentRows = new ChildRows(source.rows('post_comments', { pid: this.#pid }), 'post_id')
    for await (const row of source.rows('posts', { pid: this.#pid })) {
      const id = keyOf(row, 'post_id')
      const around = this.#map.post(id)
      const place: TextPlace = { pid: this.#pid, path: around.path, stream: 'posts', recordKey: id }
      const comments = await this.#comments(await commentRows.of(id), attachments, place)
      await this.#writeRecord(row, { kind: 'post', id, around, watchers: await watchers.of(id), comments, place })
    }
  }

  async #comments(rows: readonly Row[], attachments: Attachments, place: TextPlace): Promise<RenderedComment[]> {
    const comments: RenderedComment[] = []
    for (const [index, row] of inTimeOrder(rows).entries()) {
      const shown = shownComment(row, this.#tools.people, attachments)
      const recordKey = `${place.recordKey} ${shown.cid}`
      const { markup, plain } = await this.#texts.comment(shown.text, index + 1, { ...place, recordKey })
      comments.push({ ...shown, markup, plain })
    }
    return comments
  }

  async #writeRecord(
    row: Row,
    record: {
      readonly kind: 'page' | 'post'
      readonly id: string
      readonly around: Surroundings
      readonly watchers: readonly Row[]
      readonly comments: readonly RenderedComment[]
      readonly place: TextPlace
    },
  ): Promise<void> {
    this.#tools.signal.throwIfAborted()
    const { people } = this.#tools
    const { kind, id, around, watchers, comments, place } = record
    const title = textOf(row, 'name')
    const content = contentOf(row)
    const text = await this.#texts.content(content, title, place)
    const page: RecordPage = {
      ...{ kind, id, pid: this.#pid, title, comments },
      ...{ above: around.above, before: around.before, after: around.after },
      ...{ createdAt: textOf(row, 'created_at'), updatedAt: textOf(row, 'updated_at') },
      ...{ owner: people.personOrNone(textOf(row, 'owner_uid')) },
      watchers: watchers.map((watcher) => people.person(keyOf(watcher, 'uid'))),
      note: noteOn(content, text.isRaw),
      ...{ markup: text.markup, plain: text.plain, headings: text.headings },
    }
    const frame = this.#frame(around.path, titleOf(title), around.sidebar)
    await this.#tools.bag.add(around.path, `${opening(frame)}${recordPage(page)}${closing()}`)
    const address = fromProject(around.path.slice(this.#map.pathOf('index.html').length - 'index.html'.length))
    const said = comments.map(({ author, plain }) => `${author?.name ?? ''} ${plain}`)
    await this.#shards.add({ kind, id, title: titleOf(title), address, text: [text.plain, ...said].join(' ') })
  }

  async #writeList(path: string, title: string, sidebar: Markup | null, pieces: Iterable<Markup>): Promise<void> {
    const file = await this.#tools.bag.stream(path)
    await file.write(String(opening(this.#frame(path, title, sidebar))))
    for (const piece of pieces) await file.write(String(piece))
    await file.write(String(closing()))
    await file.end()
  }

  #frame(path: string, title: string, sidebar: Markup | null): Parameters<typeof opening>[0] {
    const project = { folder: this.#map.folder, name: this.#frameTitle() }
    return { path, title, project, sidebar, start: this.#tools.start }
  }

  #frameTitle(): string {
    return titleOf(this.#row && textOf(this.#row, 'name'))
  }
}

/** The address of a file from the project's folder. */
function fromProject(path: string): string {
  return addressOf(path.replace(/\.md$/, '.html'))
}

function noteOn({ field }: Content, isRaw: boolean): string | null {
  if (isRaw) return 'Too long or too intricate to be laid out: this is the text as it was written.'
  return field === 'summary' ? 'The service gave no content: this is its summary.' : null
}
