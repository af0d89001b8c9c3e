import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { SourceRecord } from '@collab-etl/contract/source'
import type { StoredText, TextStore } from '../../format.ts'
import type { Person } from '../../people.ts'
import { anchorOf } from '../../views/anchor.ts'
import { commentsOf } from '../../views/comments.ts'
import { fileView } from '../../views/file.ts'
import { folderPaths } from '../../views/folder-paths.ts'
import { joined, type Markup } from '../markup.ts'
import { type FileReference, FOLDER_END, fileEntry, filesHeader, folderHeading } from '../pages/files-page.ts'
import { breadcrumb } from '../pages/layout.ts'
import { commentArticle, searchedIn } from '../pages/record-page.ts'
import { shortened, titleOf } from '../pages/words.ts'
import { searchedText } from '../search/fields.ts'
import type { Section } from '../section.ts'

/** A file or folder, whose markup is in the store. */
interface StoredFile {
  readonly id: string
  readonly name: string
  readonly folderId: string | null
  readonly isFolder: boolean
  readonly entry: StoredText
}

/** Places that refer to one file that are shown at most; the others are counted. */
const MAX_REFERENCES = 20

/** Writes the list of a project's files by folder. Their bytes are not in a backup. Posts and pages come before them. */
export class FileSection {
  readonly #section: Section
  readonly #texts: TextStore
  readonly #files: StoredFile[] = []

  constructor(section: Section, texts: TextStore) {
    this.#section = section
    this.#texts = texts
  }

  /** Files and folders so far. */
  get count(): number {
    return this.#files.length
  }

  async add(record: SourceRecord): Promise<void> {
    const { tools, pid, map, texts, shards, people } = this.#section
    const file = fileView(record, tools.people)
    const anchor = anchorOf('file', file.id)
    const path = map.pathOf('files.html')
    const place = { pid, path, stream: 'files', recordKey: file.id } as const
    const linkTo = (person: Person) => people?.link(person, path) ?? null
    const shown = commentsOf(record, tools.people, 'file_comments')
    const rendered = await texts.comments(shown, place, `${anchor}-`, linkTo)
    const comments = rendered.map((comment, index) => commentArticle(comment, `${anchor}-comment-${index + 1}`))
    const about = await texts.content({ text: file.description ?? '', field: 'description' }, null, place, `${anchor}-`)
    const owner = file.owner && linkTo(file.owner)
    const { references, more } = this.#referencesOf(file.id)
    const parts = { anchor, about, owner, references, more, comments: joined(comments), commentCount: comments.length }
    this.#files.push({
      id: file.id,
      name: shortened(titleOf(file.name), 200),
      folderId: file.folderId,
      isFolder: file.isFolder,
      entry: await this.#texts.add(String(fileEntry(file, parts))),
    })
    await shards.add({
      kind: 'file',
      id: file.id,
      title: titleOf(file.name),
      address: `files.html#${anchor}`,
      path: [],
      date: file.updatedAt ?? file.createdAt,
      text: searchedText(about.plain, [['path', file.path], ...rendered.map(searchedIn)]),
    })
  }

  async end(): Promise<void> {
    const { map, pages } = this.#section
    const path = map.pathOf('files.html')
    const folders = this.#byFolder()
    const [texts, count] = [this.#texts, this.#files.filter(({ isFolder }) => !isFolder).length]
    const above = breadcrumb(map.top(path), 'Files', true)
    const folderCount = this.count - count
    async function* pieces(): AsyncGenerator<Markup | string> {
      yield above
      yield filesHeader(count, folderCount)
      for (const { names, files } of folders) {
        yield folderHeading(names)
        for (const { entry } of files) yield await texts.read(entry)
        yield FOLDER_END
      }
    }
    const page = { path, title: 'Files', sidebar: map.listSidebar(path, 'Files'), isBroad: true }
    await pages.stream(page, pieces())
  }

  /** `more`: how many are not shown. */
  #referencesOf(fid: string): { references: FileReference[]; more: number } {
    const { tools, map } = this.#section
    const records = tools.references?.of(fid) ?? []
    const references = records.slice(0, MAX_REFERENCES).map(({ kind, id }) => map.recordLink(kind, id))
    return { references, more: records.length - references.length }
  }

  /** Files by the names of the folders that hold them, the top first. */
  #byFolder(): { names: readonly string[]; files: readonly StoredFile[] }[] {
    const pathOf = folderPaths(this.#files)
    const byFolder = Map.groupBy(this.#files, ({ folderId }) => folderId)
    const folders = [...byFolder].map(([folderId, files]) => {
      const names = pathOf(folderId).map((name) => shortened(titleOf(name), 200))
      const sorted = files.toSorted((a, b) => compareBytes(a.name, b.name) || compareBytes(a.id, b.id))
      return { names, files: sorted, key: names.join('\0') }
    })
    return folders.sort((a, b) => compareBytes(a.key, b.key))
  }
}
