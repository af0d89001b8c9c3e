import { post as makePost, page, task, user } from './make-records.ts'
import type { Project, World } from './records.ts'

/** Parameters of a request: from the path, the query and the body. */
export type Params = Readonly<Record<string, string>>

/** What the service says: a value as JSON, with its status. */
export interface Reply {
  readonly status: number
  readonly value: unknown
}

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** What is reply of the project that `pid` names, if there is such a parameter. */
  readonly reply: (world: World, params: Params) => Reply
}

/** An error of the service (docs/service-api.md#errors). */
export function failure(status: number, code: number): Reply {
  return { status, value: { error_code: code, error_message: '失败', request: '/v1' } }
}

function ok(value: unknown): Reply {
  return { status: 200, value }
}

/** Answers with the operation's code if a project or a record in it does not exist. */
function ofProject(missing: Reply, of: (project: Project, params: Params) => unknown): Operation['reply'] {
  return ({ projects }, params) => {
    const project = projects.find(({ detail }) => detail.pid === params['pid'])
    const value = project && of(project, params)
    return value === undefined ? missing : ok(value)
  }
}

const NO_POST = failure(404, 900005)
const NO_FILE = failure(404, 800004)

function archivedPage({ archived }: Project, { page = '1', size = '20' }: Params): unknown {
  const first = (Number(page) - 1) * Number(size)
  return archived.slice(first, first + Number(size))
}

/** Events that overlap the range, both ends included, and events with invalid times. */
function eventsWithin({ events }: Project, { start = '0', end = '0' }: Params): unknown {
  return events.filter((event) => !(Date.parse(event.start) > Number(end)) && !(Date.parse(event.end) < Number(start)))
}

/** The operations that our commands use, by number and name (docs/service-api.md#operations). */
export const OPERATIONS = {
  projects: {
    method: 'GET',
    path: /^\/v1\/projects$/,
    reply: ({ projects }) => ok(projects.map(({ listed }) => listed)),
  },
  project: {
    method: 'GET',
    path: /^\/v1\/projects\/(?<pid>[^/]+)$/,
    reply: ofProject(failure(404, 400004), ({ detail }) => detail),
  },
  tasks: { method: 'GET', path: /^\/v1\/tasks$/, reply: ofProject(failure(500, 600001), ({ tasks }) => tasks) },
  archived: { method: 'GET', path: /^\/v1\/tasks\/archived$/, reply: ofProject(failure(500, 600027), archivedPage) },
  pages: { method: 'GET', path: /^\/v1\/pages$/, reply: ofProject(failure(500, 120001), ({ pages }) => pages) },
  events: { method: 'GET', path: /^\/v1\/events$/, reply: ofProject(failure(500, 700002), eventsWithin) },
  webhooks: {
    method: 'GET',
    path: /^\/v1\/webhooks$/,
    reply: (world, params) => {
      if (params['pid'] === undefined) return ok(world.personalWebhooks)
      return ofProject(ok([]), ({ webhooks }) => webhooks)(world, params)
    },
  },
  post: {
    method: 'GET',
    path: /^\/v1\/posts\/(?<id>[^/]+)$/,
    reply: ofProject(NO_POST, ({ posts }, { id }) => posts.find(({ post }) => post.post_id === id)?.post),
  },
  post_comments: {
    method: 'GET',
    path: /^\/v1\/posts\/(?<id>[^/]+)\/comments$/,
    reply: ofProject(NO_POST, ({ posts }, { id }) => posts.find(({ post }) => post.post_id === id)?.comments),
  },
  file: {
    method: 'GET',
    path: /^\/v1\/files\/(?<id>[^/]+)$/,
    reply: ofProject(NO_FILE, ({ files }, { id }) => files.find(({ file }) => file.fid === id)?.file),
  },
  file_comments: {
    method: 'GET',
    path: /^\/v1\/files\/(?<id>[^/]+)\/comments$/,
    reply: ofProject(NO_FILE, ({ files }, { id }) => files.find(({ file }) => file.fid === id)?.comments),
  },
  create_page: {
    method: 'POST',
    path: /^\/v1\/page$/,
    reply: ofProject(failure(500, 120003), ({ pages, detail }, { name = '', content = '', parent_id = '' }) => {
      const made = { ...page(detail.pid, 900 + pages.length, content, parent_id), name }
      pages.push(made)
      const { content: _, ...reply } = made
      return reply
    }),
  },
  create_post: {
    method: 'POST',
    path: /^\/v1\/post$/,
    reply: ofProject(failure(500, 900003), ({ posts, detail }, { name = '', content = '' }) => {
      const made = { ...makePost(detail.pid, 900 + posts.length), name, content }
      posts.push({ post: made, comments: [] })
      const { content: _content, watchers: _watchers, ...reply } = made
      return reply
    }),
  },
  create_task: {
    method: 'POST',
    path: /^\/v1\/task$/,
    reply: ofProject(failure(500, 600003), ({ tasks, detail }, { name = '', desc = '', entry_id = '' }) => {
      const badges = { ...task(detail.pid, 0, 'open').badges, todo_count: 0 }
      const bare = { labels: [], todos: [], members: [], watchers: [user(1)], badges }
      const made = { ...task(detail.pid, 900 + tasks.length, 'open'), ...bare, name, desc, entry_id }
      tasks.push(made)
      const { pos: _pos, completed_date: _date, ...reply } = made
      return reply
    }),
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS

const NAMES = Object.keys(OPERATIONS) as OperationName[] // the keys of an object whose type is known

/** The operation that a request is for, and the parameters that stand in its path. */
export function operationOf(method: string, path: string): { name: OperationName; params: Params } | undefined {
  for (const name of NAMES) {
    const match = OPERATIONS[name].method === method ? OPERATIONS[name].path.exec(path) : null
    if (match === null) continue
    const groups = Object.entries(match.groups ?? {})
    return { name, params: Object.fromEntries(groups.map(([key, value]) => [key, decodeURIComponent(value)])) }
  }
  return undefined
}
