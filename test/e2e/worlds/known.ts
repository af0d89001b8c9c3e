import type { ProjectTruth } from '@collab-etl/sandbox'

const LINK = /(?:projects?\/(\w+)\/)?(?:\b)(post|file)s?\/(\w+)/g

/** What a night shows where the service offers more than the documented operations. */
interface Shown {
  /** The comments of tasks that it reads. */
  comments(pid: string): unknown
  /** The posts or files of its lists. */
  ids(truth: ProjectTruth, kind: 'post' | 'file'): readonly string[]
}

/** The posts and files that a client knows, because something that it read has named them. */
export class Known {
  readonly #ids = new Set<string>()

  /** What the night reads of each project: of posts and files, those that are known by its end. */
  read(
    truths: ReadonlyMap<string, ProjectTruth>,
    isStored: (pid: string, stream: string) => boolean,
    unread: ReadonlySet<string>,
    shown: Shown,
  ): Map<string, ProjectTruth> {
    const listed = [...truths].filter(([, { listed }]) => listed !== null && listed.permission !== 0)
    for (const [pid, truth] of listed)
      for (const stream of ['tasks', 'archived_tasks', 'pages', 'events'] as const)
        if (isStored(pid, stream)) this.#learn(pid, truth[stream])
    for (const [pid, truth] of listed) {
      this.#learn(pid, shown.comments(pid))
      for (const kind of ['post', 'file'] as const)
        if (isStored(pid, `${kind}s`)) for (const id of shown.ids(truth, kind)) this.#ids.add(`${pid} ${kind} ${id}`)
    }
    let count = -1
    let read = new Map<string, ProjectTruth>()
    while (this.#ids.size > count) {
      count = this.#ids.size
      read = new Map(listed.map(([pid, truth]) => [pid, this.#withKnown(truth, unread)]))
      for (const [pid, { posts, files }] of read) {
        if (isStored(pid, 'posts')) this.#learn(pid, posts)
        if (isStored(pid, 'files')) this.#learn(pid, files)
      }
    }
    return read
  }

  /** `pid stream id` of each. */
  items(): string[] {
    return [...this.#ids].map((item) => item.replace(/ (post|file) /, ' $1s '))
  }

  #withKnown(truth: ProjectTruth, unread: ReadonlySet<string>): ProjectTruth {
    const { pid } = truth.detail
    const isRead = (kind: string, id: string) =>
      this.#ids.has(`${pid} ${kind} ${id}`) && !unread.has(`${pid} ${kind}s ${id}`)
    const comments = <T>(kind: string, id: string, of: T[]) => (unread.has(`${pid} ${kind} ${id}/comments`) ? [] : of)
    const posts = truth.posts.filter(({ post }) => isRead('post', post.post_id))
    const files = truth.files.filter(({ file }) => isRead('file', file.fid))
    return {
      ...truth,
      posts: posts.map((at) => ({ ...at, comments: comments('posts', at.post.post_id, at.comments) })),
      files: files.map((at) => ({ ...at, comments: comments('files', at.file.fid, at.comments) })),
    }
  }

  #learn(pid: string, records: unknown): void {
    const text = JSON.stringify(records, (name, value) => {
      const fids: unknown[] = name === 'fids' ? value : name === 'folder_id' ? [value] : []
      for (const fid of fids) this.#ids.add(`${pid} file ${fid}`)
      // an attachment of a task that was moved is still a file of the project that it names
      if (typeof value?.fid === 'string') this.#ids.add(`${value.pid ?? pid} file ${value.fid}`)
      return value
    })
    for (const [, of = pid, kind, id] of text.matchAll(LINK)) this.#ids.add(`${of} ${kind} ${id}`)
  }
}

/** Ids of the files that a client finds folder by folder. */
export function filesInFolders({ files }: ProjectTruth): string[] {
  const found = new Set<string>()
  const folders = ['']
  for (const folder of folders)
    for (const { file } of files.filter(({ file: of }) => of.folder_id === folder && !found.has(of.fid))) {
      found.add(file.fid)
      if (Number(file.type) === FOLDER) folders.push(file.fid)
    }
  return [...found]
}

const FOLDER = 1
