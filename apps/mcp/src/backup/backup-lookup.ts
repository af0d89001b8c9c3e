import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { FirstOf } from '@collab-etl/contract/first-of'
import type {
  CommentDetails,
  Commented,
  DocumentRef,
  Lookup,
  MemberDetails,
  ProjectSummary,
  RecordHead,
  RecordRef,
  SearchHit,
  SearchRequest,
  Slice,
  Sliced,
  TaskFilter,
  TaskLists,
  TaskSummary,
  TextPart,
  TitledRef,
} from '@collab-etl/warehouse'
import { characters } from '../bounds.ts'
import { SearchWords } from './search-words.ts'
import type { RecordReader, StoredComment, StoredRecord, StoredTask } from './stored-records.ts'

/** Characters of a comment that are shown with its post or task. */
const COMMENT_PART: Slice = { offset: 0, limit: 4000 }

const MAX_CHILDREN = 100

/** The kind of the comments on records of a kind, in a search. */
const COMMENT_KINDS = { page: null, post: 'comment', task: 'task_comment' } as const

/** A hit, and how many words its title has. */
type Found = SearchHit & { readonly found: number }

interface IndexedDocument extends DocumentRef {
  readonly parentId: string | null
}

/** Answers from the files of a backup. Every call reads the files of a kind; ids and titles of pages and posts are kept. */
export class BackupLookup implements Lookup {
  readonly #reader: RecordReader
  readonly #projects: readonly ProjectSummary[]
  readonly #names: ReadonlyMap<string, string | null>
  #index: Promise<readonly IndexedDocument[]> | undefined

  constructor(reader: RecordReader, projects: readonly ProjectSummary[]) {
    this.#reader = reader
    this.#projects = projects
    this.#names = new Map(projects.map(({ pid, name }) => [pid, name]))
  }

  async projects(slice: Slice): Promise<Sliced<ProjectSummary>> {
    return sliceOf(this.#projects, slice)
  }

  async page(pid: string, id: string, part: Slice) {
    const page = await this.#find('page', pid, id)
    if (page === null) return null
    const others = (await this.#documents()).filter((other) => other.kind === 'page' && other.pid === pid)
    const parent = others.find((other) => other.id === page.parentId)
    const children = others.filter(({ parentId }) => parentId === id).map(({ id, name }) => ({ page_id: id, name }))
    return {
      ...this.#head(page),
      page_id: id,
      summary: page.summary,
      owner: page.owner,
      parent: parent === undefined ? null : { page_id: parent.id, name: parent.name },
      children: sliceOf(children, { offset: 0, limit: MAX_CHILDREN }),
      content: partOf(page.text, part),
    }
  }

  async post(pid: string, id: string, part: Slice, comments: Slice) {
    const post = await this.#find('post', pid, id)
    if (post === null) return null
    return {
      ...this.#head(post),
      post_id: id,
      summary: post.summary,
      owner: post.owner,
      content: partOf(post.text, part),
      comments: commentsOf(post, comments),
      comment_count: post.comments.length,
    }
  }

  async comment({ kind, pid, id }: Commented, cid: string, part: Slice): Promise<CommentDetails | null> {
    const record = await this.#find(kind, pid, id)
    const comment = record?.comments.find((comment) => comment.cid === cid)
    return comment === undefined ? null : detailsOf(comment, part)
  }

  async task(pid: string, id: string, part: Slice, { todos, comments }: TaskLists) {
    const record = await this.#find('task', pid, id)
    if (record?.task == null) return null
    return {
      ...this.#taskOf(record, record.task),
      file_count: record.task.file_count,
      others: record.task.others,
      description: partOf(record.text, part),
      todos: sliceOf(record.task.todos, todos),
      comments: commentsOf(record, comments),
      read_comment_count: record.comments.length,
    }
  }

  async members(pid: string, slice: Slice): Promise<Sliced<MemberDetails>> {
    const members: MemberDetails[] = []
    for await (const member of this.#reader.members(pid)) members.push(member)
    return sliceOf(members, slice)
  }

  async tasks(filter: TaskFilter, { offset, limit }: Slice): Promise<Sliced<TaskSummary> & { readonly total: number }> {
    const first = new FirstOf<TaskSummary>(offset + limit + 1, inOrderOfDueDates)
    let total = 0
    for await (const record of this.#reader.records({ kind: 'task', pid: filter.pid })) {
      if (record.task === null || !meets(record, record.task, filter)) continue
      total += 1
      first.add(this.#taskOf(record, record.task))
    }
    return { ...sliceOf(first.all(), { offset, limit }), total }
  }

  async search({ query, kinds, pid }: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>> {
    const words = new SearchWords(query)
    const first = new FirstOf<Found>(slice.offset + slice.limit + 1, inOrderOfHits)
    const isWanted = (kind: SearchHit['kind']) => kinds?.includes(kind) ?? true
    for (const kind of ['page', 'post', 'task'] as const) {
      const ofComments = COMMENT_KINDS[kind]
      const commentKind = ofComments !== null && isWanted(ofComments) ? ofComments : null
      if (!isWanted(kind) && commentKind === null) continue
      if (kinds === undefined && !this.#reader.has(kind)) continue
      for await (const record of this.#reader.records({ kind, pid, holds: words.words })) {
        const { name, updated_at } = record
        const of = { pid: record.pid, project_name: this.#names.get(record.pid) ?? null, id: record.id, name }
        const text = record.text || record.summary || ''
        if (isWanted(kind) && words.areIn(name, text))
          first.add({ kind, ...of, updated_at, excerpt: words.excerpt(text), found: words.countIn(name) })
        for (const comment of record.comments) {
          if (commentKind === null || !words.areIn(null, comment.text)) continue
          const { cid, created_at: updated_at, text } = comment
          first.add({ kind: commentKind, ...of, cid, updated_at, excerpt: words.excerpt(text), found: 0 })
        }
      }
    }
    const { items, hasMore } = sliceOf(first.all(), slice)
    return { items: items.map(({ found: _, ...hit }) => hit), hasMore }
  }

  async documents(after: RecordRef | null, limit: number): Promise<Sliced<DocumentRef>> {
    const all = await this.#documents()
    const start = after === null ? 0 : all.findIndex((ref) => compareRefs(ref, after) > 0)
    return sliceOf(
      all.map(({ parentId: _, ...ref }) => ref),
      { offset: start === -1 ? all.length : start, limit },
    )
  }

  async titles(refs: readonly RecordRef[]): Promise<TitledRef[]> {
    const wanted = new Set(refs.map(keyOf))
    return (await this.#documents())
      .filter((ref) => wanted.has(keyOf(ref)))
      .map(({ kind, pid, id, name }) => ({ kind, pid, id, name }))
  }

  async #find(kind: StoredRecord['kind'], pid: string, id: string): Promise<StoredRecord | null> {
    for await (const record of this.#reader.records({ kind, pid, holds: [id.toLowerCase()] })) {
      if (record.id === id) return record
    }
    return null
  }

  #documents(): Promise<readonly IndexedDocument[]> {
    this.#index ??= this.#readIndex().catch((error: unknown) => {
      this.#index = undefined
      throw error
    })
    return this.#index
  }

  async #readIndex(): Promise<readonly IndexedDocument[]> {
    const found: IndexedDocument[] = []
    for (const kind of ['page', 'post'] as const) {
      for await (const { pid, id, name, updated_at, parentId } of this.#reader.records({ kind })) {
        found.push({ kind, pid, id, name, updated_at, parentId })
      }
    }
    return found.sort(compareRefs)
  }

  #head({ pid, name, created_at, updated_at }: StoredRecord): RecordHead {
    return { pid, project_name: this.#names.get(pid) ?? null, name, created_at, updated_at }
  }

  #taskOf(record: StoredRecord, task: StoredTask): TaskSummary {
    const { group, state, due_at, completed_at, comment_count } = task
    return {
      ...this.#head(record),
      tid: record.id,
      group,
      state,
      due_at,
      completed_at,
      comment_count,
      members: task.members.slice(0, 20).map(({ uid, name }) => ({ uid, name })),
      labels: task.labels.slice(0, 20),
      todo_count: task.todos.length,
      todo_checked_count: task.todos.filter(({ checked }) => checked).length,
    }
  }
}

function keyOf({ kind, pid, id }: RecordRef): string {
  return JSON.stringify([kind, pid, id])
}

/** Pages, then posts, in the order of their keys. */
function compareRefs(a: RecordRef, b: RecordRef): number {
  return compareBytes(a.kind, b.kind) || compareBytes(a.pid, b.pid) || compareBytes(a.id, b.id)
}

function sliceOf<T>(items: readonly T[], { offset, limit }: Slice): Sliced<T> {
  return { items: items.slice(offset, offset + limit), hasMore: items.length > offset + limit }
}

function partOf(text: string, { offset, limit }: Slice): TextPart {
  // Code points are counted only as far as they are needed; most texts are short.
  const points = offset === 0 && text.length <= limit ? null : [...text]
  const part = points === null ? text : points.slice(offset, offset + limit).join('')
  return { text: part, offset, total: points?.length ?? characters(text) }
}

function commentsOf(record: StoredRecord, slice: Slice): Sliced<CommentDetails> {
  const { items, hasMore } = sliceOf(record.comments, slice)
  return { items: items.map((comment) => detailsOf(comment, COMMENT_PART)), hasMore }
}

function detailsOf({ text, ...comment }: StoredComment, part: Slice): CommentDetails {
  return { ...comment, files: comment.files.slice(0, 20), text: partOf(text, part) }
}

function meets({ updated_at }: StoredRecord, task: StoredTask, filter: TaskFilter): boolean {
  const { group, person, label, state, dueFrom, dueBefore, updatedSince } = filter
  const same = (a: string | null | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()
  const due = task.due_at === null ? null : Date.parse(task.due_at)
  if (state === 'overdue' && !(task.state === 'open' && due !== null && due < Date.now())) return false
  if (state !== undefined && state !== 'overdue' && task.state !== state) return false
  if (group !== undefined && task.entry_id !== group && !same(task.group, group)) return false
  if (person !== undefined && !task.members.some(({ names }) => names.some((name) => same(name, person)))) return false
  if (
    label !== undefined &&
    !task.labels.some(({ name, description }) => same(name, label) || same(description, label))
  )
    return false
  if (dueFrom !== undefined && !(due !== null && due >= dueFrom.getTime())) return false
  if (dueBefore !== undefined && !(due !== null && due < dueBefore.getTime())) return false
  return updatedSince === undefined || (updated_at !== null && Date.parse(updated_at) >= updatedSince.getTime())
}

/** As a warehouse sorts them. */
function inOrderOfHits(a: Found, b: Found): number {
  return (
    b.found - a.found ||
    compareBytes(b.updated_at ?? '', a.updated_at ?? '') ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.pid, b.pid) ||
    compareBytes(a.id, b.id) ||
    compareBytes(a.cid ?? '', b.cid ?? '')
  )
}

function inOrderOfDueDates(a: TaskSummary, b: TaskSummary): number {
  const late = '~' // after every date
  return (
    compareBytes(a.due_at ?? late, b.due_at ?? late) ||
    compareBytes(b.updated_at ?? '', a.updated_at ?? '') ||
    compareBytes(a.pid, b.pid) ||
    compareBytes(a.tid, b.tid)
  )
}
