import type { BagWriter } from '@collab-etl/bagit'
import {
  type Attachments,
  attachedTo,
  attachmentsOf,
  type BackupLoss,
  ChildRows,
  contentOf,
  type FrontMatter,
  inTimeOrder,
  keyOf,
  type LinkRewriter,
  missingLoss,
  type PathIndex,
  type People,
  type Places,
  type ProjectPlaces,
  pageDocument,
  postDocument,
  projectIndex,
  shownComment,
  textOf,
  tooLongLoss,
} from '@collab-etl/documents'
import type { BackupSource, SourceRow } from '../source/backup-source.ts'
import type { CsvFiles } from './csv-files.ts'
import type { Counts } from './options.ts'

/** What the writer of a project works with; `markdown` is `null` for backups without Markdown. */
export interface ProjectTools {
  readonly source: BackupSource
  readonly bag: BagWriter
  readonly csv: CsvFiles
  readonly markdown: { readonly index: PathIndex; readonly links: LinkRewriter; readonly people: People } | null
  readonly signal: AbortSignal
  /** Takes what the backup could not show as it is. */
  readonly lose: (loss: BackupLoss) => void
  /** Told after each page and post. */
  readonly onRecord: () => void
}

type Markdown = NonNullable<ProjectTools['markdown']> & { readonly places: ProjectPlaces }

/** A text of a record, and where it is to stand. */
interface Text {
  readonly text: string
  readonly stream: 'pages' | 'posts'
  readonly recordKey: string
  readonly field: string
}

/** Writes one project's pages and posts, as they come from the source. */
export class ProjectWriter {
  readonly #tools: ProjectTools
  readonly #pid: string
  readonly #counts: Counts

  constructor(tools: ProjectTools, pid: string, counts: Counts) {
    this.#tools = tools
    this.#pid = pid
    this.#counts = counts
  }

  /** `project` is its row; `null` where only what belongs to it was read. */
  async write(project: SourceRow | null): Promise<void> {
    const { source, csv, markdown, lose } = this.#tools
    const places = (await markdown?.index.project(this.#pid)) ?? null
    const shown = markdown && places && { ...markdown, places }
    if (project) {
      await csv.write('projects', project)
      this.#counts.projects += 1
    }
    if (shown) {
      for (const loss of shown.places.pages.losses) lose(loss)
      await this.#writeIndex(shown, project)
    }
    await this.#writePages(shown)
    await this.#writePosts(shown, await attachmentsOf(source, this.#pid))
  }

  async #writeIndex({ places, links }: Markdown, project: SourceRow | null): Promise<void> {
    const labels = []
    for await (const row of this.#tools.source.rows('project_labels', { pid: this.#pid })) {
      labels.push({ name: keyOf(row, 'name'), description: textOf(row, 'description') })
    }
    const file = await this.#tools.bag.stream(`${places.folder}/README.md`)
    const pieces = projectIndex({
      pid: this.#pid,
      name: project && textOf(project, 'name'),
      description: project && textOf(project, 'description'),
      archived: project?.['archived'] === true,
      labels,
      pages: places.pages,
      posts: places.posts,
      linkStyle: links.style,
    })
    for (const piece of pieces) await file.write(piece)
    await file.end()
  }

  async #writePages(markdown: Markdown | null): Promise<void> {
    const { source, bag, csv } = this.#tools
    const pid = this.#pid
    await using watchers = this.#children(markdown, 'page_watchers', 'page_id')
    for await (const row of source.rows('pages', { pid })) {
      await csv.write('pages', row)
      if (markdown) {
        const id = keyOf(row, 'page_id')
        const path = placeOf(markdown.places.pages, id, markdown.places.folder)
        const text = await this.#text(markdown, path, { ...contentOf(row), stream: 'pages', recordKey: id })
        await bag.add(path, pageDocument(about(row, 'page', id, markdown.people, await watchers.of(id)), text))
      }
      this.#counts.pages += 1
      this.#step()
    }
  }

  async #writePosts(markdown: Markdown | null, attachments: Attachments): Promise<void> {
    const { source, bag, csv } = this.#tools
    const pid = this.#pid
    await using watchers = this.#children(markdown, 'post_watchers', 'post_id')
    await using comments = new ChildRows(source.rows('post_comments', { pid }), 'post_id')
    for await (const row of source.rows('posts', { pid })) {
      await csv.write('posts', row)
      const id = keyOf(row, 'post_id')
      const commentRows = await comments.of(id)
      for (const comment of commentRows) {
        await csv.write('post_comments', comment)
        for (const file of attachedTo(comment, attachments)) await csv.write('attachments', { ...file, post_id: id })
      }
      if (markdown) {
        const path = placeOf(markdown.places.posts, id, markdown.places.folder)
        const text = await this.#text(markdown, path, { ...contentOf(row), stream: 'posts', recordKey: id })
        const shown = []
        for (const commentRow of inTimeOrder(commentRows)) {
          const comment = shownComment(commentRow, markdown.people, attachments)
          const recordKey = `${id} ${comment.cid}`
          const place = { text: comment.text, field: 'raw_message', stream: 'posts', recordKey } as const
          shown.push({ ...comment, text: await this.#text(markdown, path, place) })
        }
        await bag.add(path, postDocument(about(row, 'post', id, markdown.people, await watchers.of(id)), text, shown))
      }
      this.#counts.posts += 1
      this.#counts.post_comments += commentRows.length
      this.#step()
    }
  }

  #children(markdown: Markdown | null, table: 'page_watchers' | 'post_watchers', column: string): ChildRows {
    return new ChildRows(markdown ? this.#tools.source.rows(table, { pid: this.#pid }) : noRows(), column)
  }

  async #text({ links }: Markdown, path: string, { text, stream, recordKey, field }: Text): Promise<string> {
    const rewritten = await links.rewrite(text, { pid: this.#pid, path })
    if (rewritten.tooLong) this.#tools.lose(tooLongLoss(this.#pid, stream, recordKey, field, text.length))
    for (const url of rewritten.missing) this.#tools.lose(missingLoss(this.#pid, stream, recordKey, field, url))
    return rewritten.text
  }

  #step(): void {
    this.#tools.signal.throwIfAborted()
    this.#tools.onRecord()
  }
}

async function* noRows(): AsyncGenerator<SourceRow> {}

function about(
  row: SourceRow,
  kind: 'page' | 'post',
  id: string,
  people: People,
  watchers: readonly SourceRow[],
): FrontMatter {
  return {
    id,
    pid: keyOf(row, 'pid'),
    kind,
    title: textOf(row, 'name'),
    parentId: textOf(row, 'parent_id'),
    createdAt: textOf(row, 'created_at'),
    updatedAt: textOf(row, 'updated_at'),
    owner: people.personOrNone(textOf(row, 'owner_uid')),
    watchers: watchers.map((watcher) => people.person(keyOf(watcher, 'uid'))),
    ...(contentOf(row).field === 'summary' && { contentFrom: 'summary' }),
  }
}

/** The path of a record that its project's tree holds. */
function placeOf(places: Places, id: string, folder: string): string {
  const index = places.indexes.get(id)
  // The tree was read a moment ago, from the same state.
  if (index === undefined) throw new Error(`the source changed while it was read: ${id} is new`)
  return `${folder}/${places.pathAt(index)}`
}
