import { type SourceRecord, wholeRecord } from '@collab-etl/contract/source'
import {
  type BackupSummary,
  type FileSink,
  type Format,
  type ListedKind,
  listOf,
  type ProjectHead,
  type ProjectOutput,
  type ProjectWriter,
  type RecordFiles,
} from '../format.ts'
import type { LinkRewriter } from '../link-rewriter.ts'
import { plainName } from '../names/plain-name.ts'
import { MARKDOWN_FOLDER, type PathIndex, type ProjectPlaces } from '../path-index.ts'
import { People } from '../people.ts'
import { contentOf, keyOf, type Row, textOf } from '../row.ts'
import type { ListedIssue } from '../tree/head.ts'
import { commentsOf } from '../views/comments.ts'
import type { FileReferences } from '../views/file-references.ts'
import { labelView } from '../views/task.ts'
import { categoryFiles, labelOf } from './categories.ts'
import { type FrontMatter, pageDocument, postDocument } from './document.ts'
import { backupIndex, countOf, type ListedKinds, type ListedProject, projectIndex } from './project-index.ts'
import { ProjectLists } from './project-lists.ts'
import { tagsOf } from './tags.ts'
import { Texts } from './texts.ts'
import { type TitleHeading, titleHeading } from './title-heading.ts'

/** What the indexes list of a project. */
type MarkdownNote = Omit<ListedKinds, 'members' | 'emptyGroups'> & Pick<ListedProject, 'pages' | 'posts'>

/** What a Markdown backup is made with. */
interface MarkdownParts {
  readonly index: PathIndex
  readonly links: LinkRewriter
  /** Rows of `users` by `uid`. */
  readonly users: ReadonlyMap<string, Row>
  /** The kinds that the backup holds, besides pages and posts. */
  readonly kinds: ReadonlySet<ListedKind>
  readonly references: FileReferences
  readonly titleHeading: TitleHeading
}

/**
 * Writes pages and posts as Markdown files, tasks, events and files as lists, and a README.md for each project and for all of them. The
 * files of a project are in this order: a file for each record, those of its lists, its README.md, and for Docusaurus those of its folders.
 */
export class MarkdownFormat implements Format {
  readonly #index: PathIndex
  readonly #links: LinkRewriter
  readonly #listed: ListedProject[] = []
  readonly #people: People
  readonly #kinds: ReadonlySet<ListedKind>
  readonly #references: FileReferences
  readonly #titleHeading: TitleHeading

  constructor({ index, links, users, kinds, references, titleHeading }: MarkdownParts) {
    this.#titleHeading = titleHeading
    this.#index = index
    this.#links = links
    this.#people = new People(users)
    this.#kinds = kinds
    this.#references = references
  }

  async open(head: ProjectHead, output: ProjectOutput): Promise<ProjectWriter> {
    const { pid } = head
    const places = await this.#index.project(pid)
    for (const issue of places.pages.issues) output.report(issue)
    const texts = new Texts(this.#links, pid, output.report)
    const lists = new ProjectLists({
      pid,
      places,
      naming: this.#index.naming,
      people: this.#people,
      output,
      texts,
      references: this.#references,
      links: this.#links,
      taskFiles: this.#index.taskFiles,
      titleHeading: this.#titleHeading,
    })
    return {
      write: async (record) => {
        if (record.table === 'pages') await this.#writeRecord(record, 'page', places, output.records)
        else if (record.table === 'posts') await this.#writeRecord(record, 'post', places, output.records)
        else await lists.add(record)
      },
      end: async () => {
        const listed = await lists.write(this.#kinds)
        return { entry: {}, note: await this.#end(head, places, listed, output), links: [...texts.links] }
      },
    }
  }

  async #end(
    head: ProjectHead,
    places: ProjectPlaces,
    listed: ListedKinds,
    output: ProjectOutput,
  ): Promise<MarkdownNote> {
    await this.#writeIndex(head, places, listed, output.files)
    if (this.#index.naming === 'docusaurus') {
      const title = head.row && textOf(head.row, 'name')
      const categories = categoryFiles(head.pid, title, places, (listed.tasks ?? []).length > 0)
      for (const { path, text } of categories) await output.files.add(path, text)
    }
    const { members: _, emptyGroups: _empty, ...kinds } = listed
    const note: MarkdownNote = { pages: places.pages.count, posts: places.posts.count, ...kinds }
    await this.reuse(head, note)
    return note
  }

  async reuse({ pid, row }: ProjectHead, note: unknown): Promise<unknown> {
    const { tasks, ...counts } = note as MarkdownNote // `open` gave it
    const name = row && textOf(row, 'name')
    this.#listed.push({ name, folder: this.#index.nameOf(pid), ...counts, ...(tasks && { tasks: countOf(tasks) }) })
    return note
  }

  async end(files: FileSink, summary?: BackupSummary): Promise<void> {
    const file = await files.stream(`${MARKDOWN_FOLDER}/README.md`)
    const isForCopy = this.#links.style !== 'relative' || this.#index.naming !== 'id-suffix'
    for (const piece of backupIndex(this.#listed, this.#links.style, isForCopy, summary)) await file.write(piece)
    await file.end()
  }

  async #writeIndex(
    { pid, row, labels }: ProjectHead,
    places: ProjectPlaces,
    kinds: ListedKinds,
    files: FileSink,
  ): Promise<void> {
    const file = await files.stream(`${places.folder}/README.md`)
    const pieces = projectIndex({
      pid,
      name: row && textOf(row, 'name'),
      description: row && textOf(row, 'description'),
      archived: row?.['archived'] === true,
      labels: labels.map(labelView),
      pages: places.pages,
      posts: places.posts,
      kinds,
      folder: places.folder.slice(`${MARKDOWN_FOLDER}/`.length),
      linkStyle: this.#links.style,
      isForNotes: this.#index.naming === 'plain',
    })
    for (const piece of pieces) await file.write(piece)
    await file.end()
  }

  async #writeRecord(
    record: SourceRecord,
    kind: 'page' | 'post',
    places: ProjectPlaces,
    files: RecordFiles,
  ): Promise<void> {
    const { row } = record
    const id = keyOf(row, `${kind}_id`)
    const path = `${places.folder}/${places[`${kind}s`].pathOf(id)}`
    const { links } = await files.add({ record, path }, async () => {
      const { row } = await wholeRecord(record)
      const issues: ListedIssue[] = []
      const texts = new Texts(this.#links, keyOf(row, 'pid'), (issue) => issues.push(issue))
      const place = { stream: `${kind}s`, recordKey: id } as const
      const content = await texts.rewrite({ ...contentOf(row), ...place }, path)
      const comments = await texts.rewriteComments(kind === 'post' ? commentsOf(record, this.#people) : [], place, path)
      const about = this.#frontMatter({ ...record, row }, kind, id, content)
      const text = kind === 'page' ? pageDocument(about, content) : postDocument(about, content, comments)
      return { text, links: [...texts.links], issues }
    })
    const attached = listOf(record, 'comment_files').map((file) => keyOf(file, 'fid'))
    this.#references.add({ kind, id }, links, attached)
  }

  #frontMatter(record: SourceRecord, kind: 'page' | 'post', id: string, content: string): FrontMatter {
    const { row } = record
    const title = textOf(row, 'name')
    const watchers = listOf(record, `${kind}_watchers`)
    // Of the title alone: a file is reused although other records of its folder came or went.
    const isPlain = this.#index.naming === 'plain'
    const aliases = isPlain && title?.trim() && plainName(title) !== title ? { aliases: [title] } : {}
    return {
      id,
      pid: keyOf(row, 'pid'),
      kind,
      title,
      ...aliases,
      ...(isPlain && { tags: tagsOf(kind, []) }),
      ...(this.#index.naming === 'docusaurus' && labelOf(title) !== title && { sidebarLabel: labelOf(title) }),
      parentId: textOf(row, 'parent_id'),
      createdAt: textOf(row, 'created_at'),
      updatedAt: textOf(row, 'updated_at'),
      owner: this.#people.personOrNone(textOf(row, 'owner_uid')),
      watchers: watchers.map((watcher) => this.#people.person(keyOf(watcher, 'uid'))),
      ...(this.#titleHeading === 'auto' && { heading: titleHeading(title, content) }),
      ...(contentOf(row).field === 'summary' && { contentFrom: 'summary' }),
    }
  }
}
