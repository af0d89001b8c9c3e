import type { Random } from '../store/random.ts'
import type { FileRecord } from '../store/state.ts'
import type { Links } from './links.ts'
import { ids, iso, type Outline, pastTime, since } from './outline.ts'

const FILES = [
  'report.pdf',
  '截图 1.png',
  'Größenvergleich.xlsx',
  'budget (final) v2.xlsx',
  'محضر.docx',
  '議事録.md',
  'notes.txt',
  'logo.svg',
  'archive.tar.gz',
  'voice message.m4a',
]
const FOLDERS = ['Contracts', '设计稿', 'Prüfberichte', 'Screenshots', '2026', 'مرفقات', '資料']

export const FILE = 0
const FOLDER = 1

/** One in so many files is not attached. */
const UNLINKED_EVERY = 8

/** Files and folders of a project, and the attachments. */
export interface Attachments {
  /** Folders first. */
  readonly records: FileRecord[]
  /** Files attached to comments of a post, by the post's index. */
  readonly onPost: ReadonlyMap<number, readonly FileRecord[]>
  /** Files attached to comments of another file, by that file's id. */
  readonly onFile: ReadonlyMap<string, readonly FileRecord[]>
  /** Files and folders that no comment, text or discoverable file refers to. */
  readonly unlinked: string[]
}

/** Makes files, three for every two posts, in nested folders; most are discoverable through posts. */
export function makeAttachments(outline: Outline, links: Links, discoverablePosts: readonly number[]): Attachments {
  const random = outline.random.fork('files')
  const count = Math.ceil(outline.postIds.length * 1.5)
  const folders = makeFolders(random, outline, Math.ceil(count / 6))
  const files = ids(random, count).map((fid) => makeFile(random, outline, fid, folders))
  const onPost = new Map<number, FileRecord[]>()
  const onFile = new Map<string, FileRecord[]>()
  const discoverable: FileRecord[] = []
  for (const [index, file] of files.entries()) {
    if (index % UNLINKED_EVERY === UNLINKED_EVERY - 1) continue
    const holder = index % 5 === 4 ? discoverable.at(random.int(0, discoverable.length - 1)) : undefined
    if (holder) append(onFile, holder.fid, file)
    else if (index % 7 === 6 && outline.sizes.pages > 0) {
      const title = file.name.replace(/[[\]]/g, '')
      links.add('page', random.int(0, outline.sizes.pages - 1), { pid: file.pid, kind: 'file', id: file.fid, title })
    } else if (discoverablePosts.length > 0) append(onPost, random.pick(discoverablePosts), file)
    else continue
    discoverable.push(file)
  }
  const records = [...folders, ...files, ...makeUnnamed(outline)]
  return { records, onPost, onFile, unlinked: undiscoverable(records, discoverable) }
}

/** An empty folder, and a folder with a file, that no record names. A project without posts has no files. */
function makeUnnamed(outline: Outline): FileRecord[] {
  if (outline.postIds.length === 0) return []
  const random = outline.random.fork('unnamed files')
  const [empty, folder] = ids(random, 2).map((fid): FileRecord => {
    return { ...makeRecord(random, outline, fid, random.pick(FOLDERS)), type: FOLDER, size: '0' }
  })
  const file = makeRecord(random, outline, random.id(), random.pick(FILES), folder)
  return [empty, folder, file].filter((record) => record !== undefined)
}

function makeFolders(random: Random, outline: Outline, count: number): FileRecord[] {
  const folders: FileRecord[] = []
  for (const fid of ids(random, count)) {
    const parent = random.chance(0.7) ? folders.at(-1) : undefined
    const name = random.pick(FOLDERS)
    folders.push({ ...makeRecord(random, outline, fid, name, parent), type: FOLDER, size: '0' })
  }
  return folders
}

function makeFile(random: Random, outline: Outline, fid: string, folders: readonly FileRecord[]): FileRecord {
  const folder = random.chance(0.6) ? folders.at(random.int(0, folders.length - 1)) : undefined
  return makeRecord(random, outline, fid, random.pick(FILES), folder)
}

function makeRecord(random: Random, outline: Outline, fid: string, name: string, folder?: FileRecord): FileRecord {
  const created = pastTime(random)
  return {
    fid,
    name,
    desc: random.chance(0.2) ? random.pick(outline.language.things) : '',
    pid: outline.reference.pid,
    size: String(Math.floor(10 ** (random.next() * 8))),
    path: `${folder?.path ?? `/${outline.reference.pid}`}/${name}`,
    folder_id: folder?.fid ?? '',
    type: FILE,
    created_at: iso(created),
    updated_at: iso(since(random, created)),
    watchers: random.some(outline.people, random.int(0, 2)),
    owner: random.pick(outline.people),
  }
}

function append(lists: Map<unknown, FileRecord[]>, key: unknown, file: FileRecord): void {
  lists.set(key, [...(lists.get(key) ?? []), file])
}

/** Ids of the records that are neither discoverable nor folders of discoverable files. */
function undiscoverable(records: readonly FileRecord[], discoverable: readonly FileRecord[]): string[] {
  const byId = new Map(records.map((record) => [record.fid, record]))
  const reached = new Set<string>()
  for (const file of discoverable) {
    for (let at: FileRecord | undefined = file; at && !reached.has(at.fid); at = byId.get(at.folder_id))
      reached.add(at.fid)
  }
  return records.map(({ fid }) => fid).filter((fid) => !reached.has(fid))
}
