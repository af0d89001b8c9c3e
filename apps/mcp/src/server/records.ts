import { roleName } from '@collab-etl/contract'
import { findLinks } from '@collab-etl/core/links'
import type {
  Change,
  CommentDetails,
  Lookup,
  MemberDetails,
  PageDetails,
  Person,
  PostDetails,
  RecordHead,
  RecordRef,
  TaskDetails,
  TaskSummary,
  TextPart,
} from '@collab-etl/warehouse'
import { characters, compact, fitItems, fitText, shortened } from '../bounds.ts'
import { uriOf } from './uri.ts'

type Shown = Record<string, unknown>

/** Bytes of the parts of a result. Together with names and ids, they are within the limit of a result. */
const BYTES = {
  text: 50_000,
  comments: 20_000,
  commentsOfTask: 10_000,
  comment: 8_000,
  checklist: 12_000,
  people: 3_000,
  labels: 3_000,
  children: 6_000,
  links: 6_000,
}

/** Links of a text that are looked up. */
const MAX_LINKS = 200

/** Characters of a text to read: more do not fit into a result. */
export const TEXT_CHARACTERS = BYTES.text

/** The part of a text that fits. `next_offset` is where the rest begins. */
function shownText(part: TextPart, maxBytes = BYTES.text): Shown & { readonly text: string } {
  const text = fitText(part.text, maxBytes)
  const end = part.offset + characters(text)
  return {
    text,
    ...(part.offset > 0 && { offset: part.offset }),
    total_characters: part.total,
    ...(end < part.total && text !== '' && { next_offset: end }),
  }
}

/** A list of which the first items fit. */
function shownList<T>(items: readonly T[], hasMore: boolean, offset: number, maxBytes: number): Shown {
  const shown = fitItems(items, maxBytes)
  return { items: shown, ...((hasMore || shown.length < items.length) && { next_offset: offset + shown.length }) }
}

function headOf({ pid, project_name, name, created_at, updated_at }: RecordHead): Shown {
  return { pid, project_name: shortened(project_name), name: shortened(name), created_at, updated_at }
}

function personOf(person: Person | null): Shown | null {
  return person && compact({ uid: person.uid, name: shortened(person.name, 100) })
}

const titled = <T extends { readonly name: string | null }>(item: T): T => ({
  ...item,
  name: shortened(item.name, 150),
})

export async function shownPage(lookup: Lookup, page: PageDetails): Promise<Shown> {
  const { pid, page_id: id, content } = page
  const text = shownText(content)
  const children = fitItems(page.children.items.map(titled), BYTES.children)
  return {
    page: compact({
      page_id: id,
      ...headOf(page),
      uri: uriOf({ kind: 'page', pid, id }),
      summary: content.total > 0 ? null : shortened(page.summary, 1000),
      owner: personOf(page.owner),
      parent: page.parent && titled(page.parent),
      children,
      children_are_cut: page.children.hasMore || children.length < page.children.items.length || null,
    }),
    content: text,
    links: await linksIn(lookup, text.text, pid),
  }
}

export async function shownPost(lookup: Lookup, post: PostDetails, commentsOffset: number): Promise<Shown> {
  const { pid, post_id: id, content } = post
  const text = shownText(content)
  const comments = post.comments.items.map((comment) => shownComment(comment, BYTES.comment))
  const list = shownList(comments, post.comments.hasMore, commentsOffset, BYTES.comments)
  const shown = post.comments.items.map((comment) => comment.text.text).join('\n')
  return {
    post: compact({
      post_id: id,
      ...headOf(post),
      uri: uriOf({ kind: 'post', pid, id }),
      summary: content.total > 0 ? null : shortened(post.summary, 1000),
      owner: personOf(post.owner),
    }),
    content: text,
    comments: { total: post.comment_count, ...list },
    links: await linksIn(lookup, `${text.text}\n${shown}`, pid),
  }
}

export function shownComment(comment: CommentDetails, maxBytes = BYTES.text): Shown {
  const { cid, owner, created_at, text, files } = comment
  return {
    ...compact({ cid, created_at, owner: personOf(owner), files: fitItems(files.map(titled), BYTES.people) }),
    ...shownText(text, maxBytes),
  }
}

export async function shownTask(
  lookup: Lookup,
  task: TaskDetails,
  { todos: todosOffset, comments: commentsOffset }: { readonly todos: number; readonly comments: number },
): Promise<Shown> {
  const text = shownText(task.description)
  const todos = task.todos.items.map(titled)
  const comments = task.comments.items.map((comment) => shownComment(comment, BYTES.comment))
  const list = shownList(comments, task.comments.hasMore, commentsOffset, BYTES.commentsOfTask)
  const shown = task.comments.items.map((comment) => comment.text.text).join('\n')
  return {
    task: { ...taskLine(task), ...compact({ files: task.file_count || null, ...cutValues(task.others) }) },
    description: text,
    checklist: shownList(todos, task.todos.hasMore, todosOffset, BYTES.checklist),
    ...(task.read_comment_count > 0 && { comments: { total: task.read_comment_count, ...list } }),
    links: await linksIn(lookup, `${text.text}\n${shown}`, task.pid),
  }
}

/** A member in a list. */
export function memberLine({ uid, name, role, email, joined_at }: MemberDetails): Shown {
  return compact({
    uid,
    name: shortened(name, 100),
    role: roleName(role) ?? role,
    email: shortened(email, 100),
    joined_at,
  })
}

/** A task in a list. */
export function taskLine(task: TaskSummary): Shown {
  const { tid, state, due_at, completed_at, members, labels } = task
  return compact({
    tid,
    ...headOf(task),
    state,
    group: shortened(task.group, 100),
    due_at,
    completed_at,
    members: fitItems(members.map(personOf), BYTES.people),
    labels: fitItems(
      labels.map((label) => compact({ name: label.name, description: shortened(label.description, 100) })),
      BYTES.labels,
    ),
    checklist: task.todo_count ? `${task.todo_checked_count ?? 0} of ${task.todo_count}` : null,
    comments: task.comment_count || null,
  })
}

/** A change in a list. Of records that were added or deleted, only the name is shown. */
export function changeLine({
  changed_at,
  run_id,
  table_name,
  pid,
  key,
  change,
  columns,
  old_values,
  new_values,
}: Change): Shown {
  const name = new_values?.['name'] ?? old_values?.['name']
  return compact({
    change,
    table: table_name,
    pid,
    key,
    at: changed_at,
    run_id,
    name: typeof name === 'string' ? shortened(name) : null,
    columns,
    old: change === 'changed' ? cutValues(old_values) : null,
    new: change === 'changed' ? cutValues(new_values) : null,
  })
}

function cutValues(values: Change['old_values']): Shown | null {
  const cut = (value: unknown) => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value
    return typeof text === 'string' ? shortened(text) : text
  }
  return values && Object.fromEntries(Object.entries(values).map(([column, value]) => [column, cut(value)]))
}

/** The pages and posts of the source that a text links to. */
async function linksIn(lookup: Lookup, text: string, pid: string): Promise<readonly Shown[]> {
  const refs = findLinks(text)
    .slice(0, MAX_LINKS)
    .flatMap(({ kind, id, pid: named }): RecordRef[] => (kind === 'file' ? [] : [{ kind, pid: named ?? pid, id }]))
  const found = refs.length === 0 ? [] : await lookup.titles(refs)
  return fitItems(
    found.map((ref) => ({ ...titled(ref), uri: uriOf(ref) })),
    BYTES.links,
  )
}
