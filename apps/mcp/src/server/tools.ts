import { parseIsoTime } from '@collab-etl/cli'
import { type Commented, type Lookup, SEARCH_KINDS, type Slice, TABLES } from '@collab-etl/warehouse'
import { z } from 'zod'
import { compact, fitItems, shortened } from '../bounds.ts'
import { ToolError } from '../errors.ts'
import type { Answers } from '../source/answers.ts'
import {
  changeLine,
  memberLine,
  shownComment,
  shownPage,
  shownPost,
  shownTask,
  TEXT_CHARACTERS,
  taskLine,
} from './records.ts'
import { uriOf } from './uri.ts'

/** A tool: what it is for, its arguments, and what it returns as JSON. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  run(
    source: Answers,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>
}

/** Bytes of a list at most. The rest of a result's 100,000 bytes is for the fields beside it. */
const LIST_BYTES = 90_000

const MAX_OFFSET = 100_000_000

const id = (what: string) => z.string().min(1).max(2000).describe(what)
const offset = (what: string) => z.int().min(0).max(MAX_OFFSET).default(0).describe(what)
const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe(`how many to return, at most ${most}`)
const time = (what: string) =>
  z
    .string()
    .max(40)
    .optional()
    .describe(`${what}: a date such as 2024-02-29, or a time with its zone such as 2024-02-29T12:00Z`)

const PID = id('project id, as in the results of list_projects and search')
const TEXT_OFFSET = offset('next_offset of an earlier result: the text continues there')

/** Defines a tool; the types of its arguments follow from its schema. */
function tool<S extends z.ZodRawShape>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: S
    run(
      source: Answers,
      args: z.output<z.ZodObject<S>>,
      signal: AbortSignal,
    ): Promise<Readonly<Record<string, unknown>>>
  },
): Tool {
  return {
    ...definition,
    input: z.strictObject(definition.input),
    // the arguments were parsed by this schema
    run: (source, args, signal) => definition.run(source, args as z.output<z.ZodObject<S>>, signal),
  }
}

/** A list in a result: as many items as fit, and where the next ones begin. */
function list<T>(items: readonly T[], hasMore: boolean, from: number): Readonly<Record<string, unknown>> {
  const shown = fitItems(items, LIST_BYTES)
  return { items: shown, ...((hasMore || shown.length < items.length) && { next_offset: from + shown.length }) }
}

function present<T>(found: T | null, what: string): T {
  if (found === null)
    throw new ToolError(`${what} does not exist here: it may be deleted, in another project, or not read yet`)
  return found
}

const listProjects = tool({
  name: 'list_projects',
  title: 'List projects',
  description: 'Lists the projects by name, with their ids and how many pages, posts and tasks they have.',
  input: { offset: offset('next_offset of an earlier result'), limit: limit(200, 100) },
  async run(source, { offset, limit }) {
    const { items, hasMore } = await source.read((lookup) => lookup.projects({ offset, limit }))
    const shown = items.map(({ name, description, archived, ...rest }) =>
      compact({ ...rest, name: shortened(name), description: shortened(description), archived: archived || null }),
    )
    return list(shown, hasMore, offset)
  },
})

const search = tool({
  name: 'search',
  title: 'Search texts',
  description:
    'Finds pages, posts, tasks, and comments of both (`comment` of posts, `task_comment` of tasks) whose title and text contain all words of the query, in any case; parts of words match. ' +
    'Words in double quotes are searched as one phrase. Chinese needs no spaces. Records with the words in their title come first, then the last changed.',
  input: {
    query: z.string().min(1).max(1000).describe('up to eight words'),
    kinds: z.array(z.enum(SEARCH_KINDS)).min(1).max(SEARCH_KINDS.length).optional().describe('default: all'),
    pid: PID.optional(),
    offset: z.int().min(0).max(1000).default(0).describe('next_offset of an earlier result'),
    limit: limit(50, 20),
  },
  async run(source, { query, kinds, pid, offset, limit }) {
    const { items, hasMore } = await source.read((lookup) => lookup.search({ query, kinds, pid }, { offset, limit }))
    const shown = items.map(({ project_name, name, ...hit }) =>
      compact({
        ...hit,
        project_name: shortened(project_name, 150),
        name: shortened(name),
        uri: hit.kind === 'page' || hit.kind === 'post' ? uriOf({ ...hit, kind: hit.kind }) : null,
      }),
    )
    return list(shown, hasMore, offset)
  },
})

const readPage = tool({
  name: 'read_page',
  title: 'Read a page',
  description: 'Returns the text of a page, its parent, its child pages, and the pages and posts that it links to.',
  input: { pid: PID, page_id: id('page id'), offset: TEXT_OFFSET },
  run: (source, { pid, page_id, offset }) =>
    source.read(async (lookup) => {
      const page = await lookup.page(pid, page_id, { offset, limit: TEXT_CHARACTERS })
      return await shownPage(lookup, present(page, 'this page'))
    }),
})

async function oneComment(lookup: Lookup, of: Commented, cid: string, text: Slice) {
  return { comment: shownComment(present(await lookup.comment(of, cid, text), 'this comment')) }
}

const readPost = tool({
  name: 'read_post',
  title: 'Read a post',
  description:
    'Returns the text of a post, its comments, and the pages and posts that they link to; with cid, one comment in full.',
  input: {
    pid: PID,
    post_id: id('post id'),
    cid: id('comment id: returns this comment alone').optional(),
    offset: TEXT_OFFSET,
    comments_offset: offset('next_offset of the comments of an earlier result'),
  },
  run: (source, { pid, post_id, cid, offset, comments_offset }) =>
    source.read(async (lookup) => {
      const text = { offset, limit: TEXT_CHARACTERS }
      if (cid !== undefined) return await oneComment(lookup, { kind: 'post', pid, id: post_id }, cid, text)
      const post = await lookup.post(pid, post_id, text, { offset: comments_offset, limit: 50 })
      return await shownPost(lookup, present(post, 'this post'), comments_offset)
    }),
})

const readTask = tool({
  name: 'read_task',
  title: 'Read a task',
  description:
    'Returns a task: group, state, dates, members, labels, description, checklist, comments where the service offers them, and the pages and posts that it links to; with cid, one comment in full.',
  input: {
    pid: PID,
    tid: id('task id'),
    cid: id('comment id: returns this comment alone').optional(),
    offset: TEXT_OFFSET,
    checklist_offset: offset('next_offset of the checklist of an earlier result'),
    comments_offset: offset('next_offset of the comments of an earlier result'),
  },
  run: (source, { pid, tid, cid, offset, checklist_offset, comments_offset }) =>
    source.read(async (lookup) => {
      const text = { offset, limit: TEXT_CHARACTERS }
      if (cid !== undefined) return await oneComment(lookup, { kind: 'task', pid, id: tid }, cid, text)
      const lists = {
        todos: { offset: checklist_offset, limit: 200 },
        comments: { offset: comments_offset, limit: 50 },
      }
      const task = await lookup.task(pid, tid, text, lists)
      const offsets = { todos: checklist_offset, comments: comments_offset }
      return await shownTask(lookup, present(task, 'this task'), offsets)
    }),
})

const listMembers = tool({
  name: 'list_members',
  title: 'List members',
  description:
    'Lists the members of a project with role, e-mail address and when they joined; none where the service does not offer them.',
  input: { pid: PID, offset: offset('next_offset of an earlier result'), limit: limit(200, 100) },
  async run(source, { pid, offset, limit }) {
    const { items, hasMore } = await source.read((lookup) => lookup.members(pid, { offset, limit }))
    return list(items.map(memberLine), hasMore, offset)
  },
})

const listTasks = tool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'Lists the tasks that meet all conditions, by due date; those without one follow. `total` is how many there are.',
  input: {
    pid: PID.optional(),
    group: id('name of the task group, or its id').optional(),
    person: id('a member: name, nickname or user id').optional(),
    label: id('name or description of a label').optional(),
    state: z
      .enum(['open', 'completed', 'archived', 'overdue'])
      .optional()
      .describe('open: neither completed nor archived; overdue: open and due before now'),
    due_from: time('due at this time or later'),
    due_before: time('due before this time'),
    updated_since: time('changed at this time or later'),
    offset: offset('next_offset of an earlier result'),
    limit: limit(200, 50),
  },
  async run(source, { offset, limit, pid, group, person, label, state, ...times }) {
    const timeOf = (name: keyof typeof times) => {
      const value = times[name]
      return value === undefined ? undefined : parsedTime(value, name)
    }
    const filter = {
      pid,
      group,
      person,
      label,
      state,
      dueFrom: timeOf('due_from'),
      dueBefore: timeOf('due_before'),
      updatedSince: timeOf('updated_since'),
    }
    const { items, hasMore, total } = await source.read((lookup) => lookup.tasks(filter, { offset, limit }))
    return { total, ...list(items.map(taskLine), hasMore, offset) }
  },
})

function parsedTime(text: string, name: string, edge: 'start' | 'end' = 'start'): Date {
  try {
    return parseIsoTime(text, { name, edge })
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : String(error))
  }
}

/** A date or time; ids of runs have no `-` after the year. */
const IS_TIME = /^\d{4}-/

const changesSince = tool({
  name: 'changes_since',
  title: 'What changed',
  description:
    'Lists what was added, changed (with old and new values) or deleted, by the run that saw it. Long values are cut. Without `since`: by the last finished run.',
  input: {
    since: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('run id of run_status, a date such as 2024-02-29, or a time with its zone'),
    until: time('by this time'),
    pid: PID.optional(),
    tables: z
      .array(z.enum(TABLES.map(({ name }) => name)))
      .min(1)
      .max(TABLES.length)
      .optional()
      .describe('default: all'),
    net: z.boolean().default(false).describe('compares both ends: one change per record, no values in between'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('next_offset of an earlier result'),
    limit: limit(200, 50),
  },
  async run(source, { since, until, pid, tables, net, offset, limit }) {
    if (source.changes === undefined) throw new ToolError('changes need a warehouse, and this is a backup')
    const request = {
      since: since === undefined ? undefined : IS_TIME.test(since) ? parsedTime(since, 'since') : { runId: since },
      until: until === undefined ? undefined : parsedTime(until, 'until', 'end'),
      pids: pid === undefined ? undefined : [pid],
      tables,
      isNet: net,
    }
    const { items, hasMore, since: from, leftOut } = await source.changes(request, { offset, limit })
    return {
      since: from?.toISOString() ?? null,
      ...(leftOut !== null && { left_out: `run ${leftOut}, which has not ended` }),
      ...list(items.map(changeLine), hasMore, offset),
    }
  },
})

const runStatus = tool({
  name: 'run_status',
  title: 'State of the data',
  description:
    'Returns how old the data is: the latest runs that read the service, and what they could not read completely.',
  input: {},
  async run(source) {
    const { incomplete, ...status } = await source.status()
    return { source: source.kind, ...status, incomplete: fitItems(Array.isArray(incomplete) ? incomplete : [], 60_000) }
  },
})

const sql = tool({
  name: 'sql',
  title: 'Query by SQL',
  description:
    'Runs one statement that reads the warehouse (Postgres): SELECT, WITH, VALUES, TABLE, EXPLAIN or SHOW. Tables: projects, project_members, users, teams, entries, tasks, task_labels, ' +
    'task_todos, task_members, task_comments, pages, posts, post_comments, files, file_comments, events, event_attendees, webhooks, runs, accounts, project_accounts; deleted_at IS NULL selects rows that exist. ' +
    'obj_description and col_description explain tables and columns.',
  input: {
    statement: z.string().min(1).max(20_000).describe('one statement; use LIMIT and left() to keep the result small'),
    limit: limit(1000, 200),
  },
  async run(source, { statement, limit }, signal) {
    if (source.query === undefined) throw new ToolError('sql needs a warehouse, and this is a backup')
    const { columns, rows, isCut } = await source.query(statement, limit, signal)
    const names = fitItems(columns, 20_000)
    if (names.length < columns.length) throw new ToolError('the result has too many columns: select fewer')
    const shown = fitItems(rows, 75_000)
    const isPart = isCut === true || shown.length < rows.length
    return {
      columns: names,
      rows: shown,
      ...(isPart && { cut: `after ${shown.length} rows: ask with LIMIT and OFFSET, or shorten texts with left()` }),
    }
  },
})

/** The tools for a source. */
export function toolsFor(source: Answers): readonly Tool[] {
  const everywhere = [listProjects, search, readPage, readPost, readTask, listTasks, listMembers, runStatus]
  return source.kind === 'backup' ? everywhere : [...everywhere, changesSince, sql]
}
