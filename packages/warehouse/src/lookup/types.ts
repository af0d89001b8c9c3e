/** Which part of a list to return; both are whole numbers, `offset` counts from 0. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

/** A part of a list, and whether more follows. */
export interface Sliced<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

/** A part of a text. Positions and lengths are in characters (code points). */
export interface TextPart {
  readonly text: string
  readonly offset: number
  /** Length of the whole text. */
  readonly total: number
}

/** A user whom a record names. */
export interface Person {
  readonly uid: string
  /** The nickname, else the name; `null` if the user is not stored. */
  readonly name: string | null
}

/** Which parts of the lists of a task to return. */
export interface TaskLists {
  readonly todos: Slice
  readonly comments: Slice
}

/** Names a page, a post or a task. */
export interface RecordRef {
  readonly kind: 'page' | 'post' | 'task'
  readonly pid: string
  readonly id: string
}

/** Names a record that has comments. */
export type Commented = RecordRef & { readonly kind: 'post' | 'task' }

/** A record with its title. Titles are cut after 1,000 characters. */
export interface TitledRef extends RecordRef {
  readonly name: string | null
}

/** A project, and how many of its records exist. */
export interface ProjectSummary {
  readonly pid: string
  readonly name: string | null
  readonly description: string | null
  readonly archived: boolean | null
  readonly pages: number
  readonly posts: number
  readonly tasks: number
  /** `null`: not known, in a backup. */
  readonly open_tasks: number | null
}

export interface RecordHead {
  readonly pid: string
  readonly project_name: string | null
  readonly name: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface PageDetails extends RecordHead {
  readonly page_id: string
  readonly summary: string | null
  readonly owner: Person | null
  readonly parent: { readonly page_id: string; readonly name: string | null } | null
  readonly children: Sliced<{ readonly page_id: string; readonly name: string | null }>
  readonly content: TextPart
}

export interface PostDetails extends RecordHead {
  readonly post_id: string
  readonly summary: string | null
  readonly owner: Person | null
  readonly content: TextPart
  readonly comments: Sliced<CommentDetails>
  readonly comment_count: number
}

/** A comment with the beginning of its text, or the part that was asked for. */
export interface CommentDetails {
  readonly cid: string
  readonly owner: Person | null
  readonly created_at: string | null
  readonly text: TextPart
  /** Attached files; the first 20. */
  readonly files: readonly { readonly fid: string; readonly name: string | null }[]
}

/** A task in a list. Of its people and labels, the first 20. */
export interface TaskSummary extends RecordHead {
  readonly tid: string
  readonly group: string | null
  readonly state: TaskState
  readonly due_at: string | null
  readonly completed_at: string | null
  readonly members: readonly Person[]
  readonly labels: readonly { readonly name: string; readonly description: string | null }[]
  readonly comment_count: number | null
  readonly todo_count: number | null
  readonly todo_checked_count: number | null
}

export interface TaskDetails extends TaskSummary {
  readonly file_count: number | null
  /** What else the service sends of it, by column; of a warehouse alone. */
  readonly others: Readonly<Record<string, unknown>>
  readonly description: TextPart
  readonly todos: Sliced<{ readonly name: string | null; readonly checked: boolean | null }>
  /** Those that were read. */
  readonly comments: Sliced<CommentDetails>
  /** How many were read; `comment_count` is what the service counts. */
  readonly read_comment_count: number
}

/** A member of a project, where the service lists them. */
export interface MemberDetails extends Person {
  /** 1 administrator, 2 member, 3 visitor, 4 guest. */
  readonly role: number | null
  readonly email: string | null
  readonly joined_at: string | null
}

/** A task that exists is in one of these states. */
export type TaskState = 'open' | 'completed' | 'archived'

/** Which tasks to list: those that meet all conditions. */
export interface TaskFilter {
  readonly pid?: string | undefined
  /** Name of the task group, in any case, or its id. */
  readonly group?: string | undefined
  /** A member: user id, name or nickname, in any case. */
  readonly person?: string | undefined
  /** Name or description of a label, in any case. */
  readonly label?: string | undefined
  /** `overdue`: open, and due before now. */
  readonly state?: TaskState | 'overdue' | undefined
  readonly dueFrom?: Date | undefined
  /** Excluded. */
  readonly dueBefore?: Date | undefined
  readonly updatedSince?: Date | undefined
}

/** What a search covers. Comments are those of posts; those of tasks are a kind of their own. */
export const SEARCH_KINDS = ['page', 'post', 'comment', 'task', 'task_comment'] as const

export type SearchKind = (typeof SEARCH_KINDS)[number]

export interface SearchRequest {
  /** Words or parts of words, all of which must occur in the title or the text, in any case; words in double quotes are one. */
  readonly query: string
  readonly kinds?: readonly SearchKind[] | undefined
  readonly pid?: string | undefined
}

export interface SearchHit {
  readonly kind: SearchKind
  readonly pid: string
  readonly project_name: string | null
  /** Of a comment, that of its post or task. */
  readonly id: string
  /** Only of a comment. */
  readonly cid?: string
  /** Of a comment, that of its post or task. */
  readonly name: string | null
  readonly updated_at: string | null
  /** The text around the first word that was found, at most 240 characters; its beginning if only the title has them. */
  readonly excerpt: string
}

/** A page or post in the list of all of them. */
export interface DocumentRef extends TitledRef {
  readonly kind: 'page' | 'post'
  readonly updated_at: string | null
}

/** Reads single records, lists and searches of the rows as they are now. Each call reads one state of the database. */
export interface Lookup {
  /** The projects that exist, in the order of their names. */
  projects(slice: Slice): Promise<Sliced<ProjectSummary>>
  /** A page; `null` if there is none. @param text which characters of its text to return */
  page(pid: string, id: string, text: Slice): Promise<PageDetails | null>
  /** A post with some of its comments, the oldest first; `null` if there is none. */
  post(pid: string, id: string, text: Slice, comments: Slice): Promise<PostDetails | null>
  /** One comment of a post or task; `null` if there is none. */
  comment(of: Commented, cid: string, text: Slice): Promise<CommentDetails | null>
  /** A task with some of its checklist and of its comments, the oldest first; `null` if there is none. */
  task(pid: string, id: string, text: Slice, lists: TaskLists): Promise<TaskDetails | null>
  /** The members of a project, in the order of their ids. */
  members(pid: string, slice: Slice): Promise<Sliced<MemberDetails>>
  /** Tasks by their due date; those without one follow, the last changed first. */
  tasks(filter: TaskFilter, slice: Slice): Promise<Sliced<TaskSummary> & { readonly total: number }>
  /**
   * Searches titles and texts. Records with more of the words in their title come first, then the last changed ones.
   * @throws WarehouseError `QUERY` if the query has no word, or more than eight
   */
  search(request: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>>
  /** Pages, then posts, in the order of their keys, after the given one. */
  documents(after: RecordRef | null, limit: number): Promise<Sliced<DocumentRef>>
  /** Those of the records that exist, with their titles. */
  titles(refs: readonly RecordRef[]): Promise<TitledRef[]>
}
