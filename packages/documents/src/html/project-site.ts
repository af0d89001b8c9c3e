import { listOf, type ProjectHead, type ProjectOutput, type ProjectRecord } from '../format.ts'
import type { ProjectPlaces } from '../path-index.ts'
import { type Content, contentOf, keyOf, type Row, textOf } from '../row.ts'
import { commentsOf } from '../views/comments.ts'
import type { Markup } from './markup.ts'
import { closing, opening } from './pages/layout.ts'
import { postsPage, projectPage } from './pages/project-page.ts'
import { type RecordPage, type RenderedComment, recordPage } from './pages/record-page.ts'
import { titleOf } from './pages/words.ts'
import { ProjectMap, type Surroundings } from './project-map.ts'
import { RecordTexts, type SiteTools, type TextPlace } from './record-texts.ts'
import { ShardWriter } from './search/shard-writer.ts'
import { addressOf } from './site-paths.ts'

/** Writes one project's part of the site. */
export class ProjectSite {
  readonly #tools: SiteTools
  readonly #head: ProjectHead
  readonly #output: ProjectOutput
  readonly #map: ProjectMap
  readonly #texts: RecordTexts
  readonly #shards: ShardWriter

  constructor(tools: SiteTools, head: ProjectHead, places: ProjectPlaces, output: ProjectOutput) {
    this.#tools = tools
    this.#head = head
    this.#output = output
    this.#map = new ProjectMap(places, head.row && textOf(head.row, 'name'))
    this.#texts = new RecordTexts(tools, output.report)
    this.#shards = new ShardWriter(output.files, this.#map.folder, tools.terms)
  }

  /** @returns its folder, relative to the site's, and the names of the shards of its search index */
  async write(records: AsyncIterable<ProjectRecord>): Promise<{ folder: string; shards: readonly string[] }> {
    await this.#writeIndex()
    await this.#writePostsList()
    for await (const record of records) {
      if (record.table === 'pages') await this.#writePage(record)
      else if (record.table === 'posts') await this.#writePost(record)
    }
    return { folder: this.#map.folder, shards: await this.#shards.end() }
  }

  async #writeIndex(): Promise<void> {
    const { row } = this.#head
    const labels = this.#head.labels.map((label) => {
      return { name: keyOf(label, 'name'), description: textOf(label, 'description') }
    })
    const { places, pageOrder, postOrder } = this.#map
    const pieces = projectPage({
      ...{ name: row && textOf(row, 'name'), labels, archived: row?.['archived'] === true },
      ...{ description: row && textOf(row, 'description'), postsList: 'posts.html', home: '../index.html' },
      ...{ pages: places.pages, pageOrder, posts: places.posts, postOrder: postOrder.order },
      addressOf: fromProject,
    })
    await this.#writeList(this.#map.pathOf('index.html'), this.#projectTitle(), null, pieces)
  }

  async #writePostsList(): Promise<void> {
    const { path, sidebar, above } = this.#map.postsList()
    const pieces = postsPage(above, this.#map.places.posts, this.#map.postOrder.order, fromProject)
    await this.#writeList(path, 'Posts', sidebar, pieces)
  }

  async #writePage(page: ProjectRecord): Promise<void> {
    const id = keyOf(page.row, 'page_id')
    const around = this.#map.page(id)
    const place: TextPlace = { pid: this.#head.pid, path: around.path, stream: 'pages', recordKey: id }
    const watchers = listOf(page, 'page_watchers')
    await this.#writeRecord(page.row, { kind: 'page', id, around, watchers, comments: [], place })
  }

  async #writePost(post: ProjectRecord): Promise<void> {
    const id = keyOf(post.row, 'post_id')
    const around = this.#map.post(id)
    const place: TextPlace = { pid: this.#head.pid, path: around.path, stream: 'posts', recordKey: id }
    const comments: RenderedComment[] = []
    for (const [index, comment] of commentsOf(post, this.#tools.people).entries()) {
      const recordKey = `${id} ${comment.cid}`
      const text = await this.#texts.comment(comment.text, index + 1, { ...place, recordKey })
      comments.push({ ...comment, text })
    }
    await this.#writeRecord(post.row, {
      kind: 'post',
      id,
      around,
      watchers: listOf(post, 'post_watchers'),
      comments,
      place,
    })
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
    const { people } = this.#tools
    const { kind, id, around, watchers, comments, place } = record
    const title = textOf(row, 'name')
    const content = contentOf(row)
    const text = await this.#texts.content(content, title, place)
    const page: RecordPage = {
      ...{ kind, id, pid: this.#head.pid, title, comments },
      ...{ above: around.above, before: around.before, after: around.after },
      ...{ createdAt: textOf(row, 'created_at'), updatedAt: textOf(row, 'updated_at') },
      ...{ owner: people.personOrNone(textOf(row, 'owner_uid')) },
      watchers: watchers.map((watcher) => people.person(keyOf(watcher, 'uid'))),
      note: noteOn(content, text.isRaw),
      text,
    }
    const layout = this.#layout(around.path, titleOf(title), around.sidebar)
    await this.#output.files.add(around.path, `${opening(layout)}${recordPage(page)}${closing()}`)
    const address = fromProject(around.path.slice(this.#map.pathOf('index.html').length - 'index.html'.length))
    const said = comments.map(({ author, text }) => `${author?.name ?? ''} ${text.plain}`)
    await this.#shards.add({
      ...{ kind, id, title: titleOf(title), address, text: [text.plain, ...said].join(' ') },
      // The pages above it, without the list of projects and the project.
      path: kind === 'page' ? around.above.slice(2).map((above) => titleOf(above.title)) : [],
      date: page.updatedAt ?? page.createdAt,
    })
  }

  async #writeList(path: string, title: string, sidebar: Markup | null, pieces: Iterable<Markup>): Promise<void> {
    const file = await this.#output.files.stream(path)
    await file.write(String(opening(this.#layout(path, title, sidebar))))
    for (const piece of pieces) await file.write(String(piece))
    await file.write(String(closing()))
    await file.end()
  }

  #layout(path: string, title: string, sidebar: Markup | null): Parameters<typeof opening>[0] {
    const project = { folder: this.#map.folder, name: this.#projectTitle() }
    return { path, title, project, sidebar, start: this.#tools.start }
  }

  #projectTitle(): string {
    return titleOf(this.#head.row && textOf(this.#head.row, 'name'))
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
