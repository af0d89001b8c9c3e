import { type SourceRecord, wholeRecord } from '@collab-etl/contract/source'
import { listOf, type ProjectHead, type ProjectOutput } from '../format.ts'
import type { ProjectPlaces } from '../path-index.ts'
import type { Person } from '../people.ts'
import { type Content, contentOf, keyOf, textOf } from '../row.ts'
import { commentsOf } from '../views/comments.ts'
import { labelView } from '../views/task.ts'
import type { PeopleNote, SiteCounts } from './list-rows.ts'
import { EventSection } from './lists/event-section.ts'
import { FileSection } from './lists/file-section.ts'
import { PostSection } from './lists/post-section.ts'
import { Overview } from './overview.ts'
import { PageWriter } from './page-writer.ts'
import { projectPage } from './pages/project-page.ts'
import { recordPage, searchedIn } from './pages/record-page.ts'
import { titleOf } from './pages/words.ts'
import { ProjectPeople } from './people/project-people.ts'
import { ProjectMap, type Surroundings } from './project-map.ts'
import { RecordPages, type RenderedPage } from './record-pages.ts'
import { RecordTexts, type SiteTools, type TextPlace } from './record-texts.ts'
import { searchedText } from './search/fields.ts'
import { PreviousTexts } from './search/previous-texts.ts'
import { type SearchSegment, ShardWriter } from './search/shard-writer.ts'
import { addressOf } from './site-paths.ts'
import { TaskSection } from './tasks/task-section.ts'
import type { RenderedText } from './text/render.ts'

/** A project's part of the site that was written. */
interface WrittenSite {
  readonly folder: string
  readonly segments: readonly SearchSegment[]
  readonly counts: SiteCounts
  readonly people: PeopleNote
  /** The addresses in its texts that are on no page of a single record. */
  readonly links: readonly string[]
}

/** A page or post. */
interface SiteRecord {
  readonly kind: 'page' | 'post'
  readonly id: string
  readonly around: Surroundings
}

/** Posts that a project's first page shows. */
const LATEST_POSTS = 5

/** Writes one project's part of the site. */
export class ProjectSite {
  readonly #tools: SiteTools
  readonly #head: ProjectHead
  readonly #map: ProjectMap
  readonly #texts: RecordTexts
  readonly #shards: ShardWriter
  readonly #pages: PageWriter
  readonly #records: RecordPages
  readonly #people: ProjectPeople | null
  readonly #tasks: TaskSection | null
  readonly #events: EventSection | null
  readonly #files: FileSection | null
  readonly #overview = new Overview()
  readonly #posts: PostSection

  constructor(
    tools: SiteTools,
    head: ProjectHead,
    places: ProjectPlaces,
    { files, records, previous, report, texts: store }: ProjectOutput,
  ) {
    this.#tools = tools
    this.#head = head
    this.#map = new ProjectMap(places, head.row && textOf(head.row, 'name'), tools.content)
    this.#texts = new RecordTexts(tools, report)
    this.#shards = new ShardWriter(files, this.#map.folder, tools.terms)
    this.#pages = new PageWriter(files, { folder: this.#map.folder, name: this.#projectTitle() }, tools.start)
    const before = previous && new PreviousTexts(previous, this.#map.folder, (previous.note as WrittenSite).segments)
    this.#records = new RecordPages(tools, records, this.#pages, before)
    const parts = {
      pid: head.pid,
      tools,
      map: this.#map,
      files,
      pages: this.#pages,
      texts: this.#texts,
      records: this.#records,
      shards: this.#shards,
      title: this.#projectTitle(),
      overview: this.#overview,
    }
    const { content } = tools
    this.#people = content.has('users') ? new ProjectPeople(parts, store) : null
    const section = { ...parts, people: this.#people }
    this.#tasks = content.has('tasks') ? new TaskSection(section, store) : null
    this.#events = content.has('events') ? new EventSection(section, store) : null
    this.#files = content.has('files') ? new FileSection(section, store) : null
    this.#posts = new PostSection(section, store)
  }

  async write(record: SourceRecord): Promise<void> {
    switch (record.table) {
      case 'project_members':
        return this.#people?.addMember(record.row)
      case 'entries':
        return this.#tasks?.addGroup(record)
      case 'tasks':
        return await this.#tasks?.add(record)
      case 'pages':
        return await this.#writeRecord(record, 'page')
      case 'posts':
        return await this.#writeRecord(record, 'post')
      case 'events':
        return await this.#events?.add(record)
      case 'files':
        return await this.#files?.add(record)
    }
  }

  /** @returns its folder, relative to the site's, the segments of its search index, and how many records of each kind it has */
  async end(): Promise<WrittenSite> {
    const { content } = this.#tools
    await this.#tasks?.end()
    await this.#events?.end()
    await this.#files?.end()
    if (content.has('posts')) await this.#posts.end()
    const people = (await this.#people?.end()) ?? []
    const { pages, posts } = this.#map.places
    const counts: SiteCounts = {
      ...(content.has('pages') && { pages: pages.count }),
      ...(content.has('posts') && { posts: posts.count }),
      ...this.#tasks?.counts,
      ...(this.#events && { events: this.#events.count }),
      ...(this.#files && { files: this.#files.count }),
    }
    await this.#writeIndex(counts, people)
    return {
      folder: this.#map.folder,
      segments: await this.#shards.end(),
      counts,
      people,
      links: [...this.#texts.links],
    }
  }

  async #writeIndex(counts: SiteCounts, people: PeopleNote): Promise<void> {
    const { row } = this.#head
    const path = this.#map.pathOf('index.html')
    const labels = this.#head.labels.map(labelView)
    const { places, pageOrder } = this.#map
    const pieces = projectPage({
      name: row && textOf(row, 'name'),
      labels,
      archived: row?.['archived'] === true,
      description: await this.#description(path),
      home: '../index.html',
      pages: places.pages,
      pageOrder,
      overview: this.#overview,
      people: this.#people?.busiest(people) ?? [],
      latestPosts: this.#posts.latest(LATEST_POSTS),
      addressOf: fromProject,
      counts,
    })
    const sidebar = this.#map.listSidebar(path, 'Overview')
    await this.#pages.stream({ path, title: this.#projectTitle(), sidebar, isBroad: true }, pieces)
  }

  async #description(path: string): Promise<RenderedText | null> {
    const { row, pid } = this.#head
    const text = (row && textOf(row, 'description')) ?? ''
    if (text.trim() === '') return null
    const place = { pid, path, stream: 'projects', recordKey: pid } as const
    return await this.#texts.content({ text, field: 'description' }, null, place)
  }

  async #writeRecord(record: SourceRecord, kind: 'page' | 'post'): Promise<void> {
    const { row } = record
    const id = keyOf(row, `${kind}_id`)
    const around = this.#map[kind](id)
    const title = textOf(row, 'name')
    const date = textOf(row, 'updated_at') ?? textOf(row, 'created_at')
    const address = fromProject(around.path.slice(this.#map.pathOf('index.html').length - 'index.html'.length))
    const shown = [{ ...around, sidebar: String(around.sidebar) }, this.#projectTitle()]
    const file = { record, path: around.path, around: shown }
    const { links, searched } = await this.#records.add(file, address, (texts) =>
      this.#render(record, { kind, id, around }, texts),
    )
    const owner = this.#tools.people.personOrNone(textOf(row, 'owner_uid'))
    if (owner) await this.#people?.add([owner], { kind: `${kind}s`, title, address, date })
    this.#overview.addChanged({ kind, title: titleOf(title), address }, date)
    if (kind === 'post') await this.#posts.add(record, { address, searched })
    const attached = listOf(record, 'comment_files').map((file) => keyOf(file, 'fid'))
    this.#tools.references?.add({ kind, id }, links, attached)
    await this.#shards.add({
      kind,
      id,
      title: titleOf(title),
      address,
      date,
      text: searched,
      // The pages above it, without the list of projects and the project.
      path: kind === 'page' ? around.above.slice(2).map((above) => titleOf(above.title)) : [],
    })
  }

  async #render(record: SourceRecord, { kind, id, around }: SiteRecord, texts: RecordTexts): Promise<RenderedPage> {
    const { people } = this.#tools
    const { row } = await wholeRecord(record)
    const place: TextPlace = { pid: this.#head.pid, path: around.path, stream: `${kind}s`, recordKey: id }
    const linkTo = (person: Person) => this.#people?.link(person, around.path) ?? null
    const shown = kind === 'post' ? commentsOf(record, people) : []
    const comments = await texts.comments(shown, place, 'c', linkTo)
    const title = textOf(row, 'name')
    const content = contentOf(row)
    const text = await texts.content(content, title, place)
    const main = recordPage({
      kind,
      id,
      pid: this.#head.pid,
      title,
      comments,
      above: around.above,
      before: around.before,
      after: around.after,
      createdAt: textOf(row, 'created_at'),
      updatedAt: textOf(row, 'updated_at'),
      owner: people.personOrNone(textOf(row, 'owner_uid')),
      watchers: listOf(record, `${kind}_watchers`).map((watcher) => people.person(keyOf(watcher, 'uid'))),
      note: noteOn(content, text.isRaw),
      linkTo,
      text,
    })
    const page = { path: around.path, title: titleOf(title), sidebar: around.sidebar }
    return { page, main, searched: searchedText(text.plain, comments.map(searchedIn)) }
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
