import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { FileSink, StoredText, TextStore } from '../format.ts'
import { MARKDOWN_FOLDER, type ProjectPlaces } from '../path-index.ts'
import type { FileReferences } from '../views/file-references.ts'
import { folderPaths } from '../views/folder-paths.ts'
import { anchorLine } from './anchor.ts'
import { fileLink, type LinkStyle } from './links.ts'
import { titleText } from './task-section.ts'
import { yamlMapping } from './yaml.ts'

interface ListedFile {
  readonly id: string
  readonly name: string | null
  readonly folderId: string | null
  readonly isFolder: boolean
  readonly text: StoredText
}

/** The files and folders of a project as `files.md`, by folder and name. They arrive in the order of their ids. */
export class FileList {
  readonly #texts: TextStore
  readonly #files: ListedFile[] = []

  constructor(texts: TextStore) {
    this.#texts = texts
  }

  get count(): number {
    return this.#files.length
  }

  /** `section`: what is below the heading. */
  async add(file: Omit<ListedFile, 'text'>, section: string): Promise<void> {
    const { id, name, folderId, isFolder } = file
    this.#files.push({ id, name, folderId, isFolder, text: await this.#texts.add(section) })
  }

  async write(
    files: FileSink,
    of: {
      readonly pid: string
      readonly places: ProjectPlaces
      readonly references: FileReferences
      readonly style: LinkStyle
    },
  ): Promise<void> {
    const paths = folderPaths(this.#files)
    const folderOf = ({ id, folderId, isFolder }: ListedFile) => (isFolder ? id : folderId)
    const pathOf = (file: ListedFile) => paths(folderOf(file)).join('\0')
    const sorted = this.#files
      .map((file) => ({ file, path: pathOf(file), folder: folderOf(file) }))
      .sort(
        (a, b) =>
          compareBytes(a.path, b.path) ||
          compareBytes(a.folder ?? '', b.folder ?? '') ||
          Number(b.file.isFolder) - Number(a.file.isFolder) ||
          compareBytes(a.file.name ?? '', b.file.name ?? '') ||
          compareBytes(a.file.id, b.file.id),
      )
    const list = await files.stream(`${of.places.folder}/files.md`)
    const about = { id: 'files', pid: of.pid, kind: 'files', title: 'Files', files: this.count }
    await list.write(`---\n${yamlMapping(about)}---\n# Files\n\n`)
    await list.write('The contents of these files are not in the backup: it lists what the service says about them.\n')
    let current: string | null = null
    for (const { file, folder } of sorted) {
      if (folder !== current) {
        const anchor = file.isFolder ? anchorLine('file', file.id) : ''
        await list.write(`\n${anchor}## ${paths(folder).map(titleText).join(' / ')}\n`)
      }
      current = folder
      if (!file.isFolder) await list.write(`\n${anchorLine('file', file.id)}### ${titleText(file.name)}\n`)
      await list.write(`\n${await this.#texts.read(file.text)}`)
      await list.write(referencesText(file.id, of))
    }
    await list.end()
  }
}

/** The pages and posts that name a file, as links from the list. */
function referencesText(
  fid: string,
  { places, references, style }: { places: ProjectPlaces; references: FileReferences; style: LinkStyle },
): string {
  const links = references.of(fid).map(({ kind, id }) => {
    const own = kind === 'page' ? places.pages : places.posts
    const index = own.indexOf(id)
    const folder = places.folder.slice(`${MARKDOWN_FOLDER}/`.length)
    const title = titleText(own.titleAt(index))
    return `- ${fileLink(title, `${folder}/files.md`, `${folder}/${own.pathAt(index)}`, style)}\n`
  })
  return links.length === 0 ? '' : `\nReferenced in:\n\n${links.join('')}`
}
