import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DEFAULT_SIZES } from '../src/index.ts'
import { makeState } from '../src/seed/index.ts'
import type { ProjectState } from '../src/store/state.ts'
import { Store } from '../src/store/store.ts'
import { SMALL } from './support.ts'

const readable = (state: ReturnType<typeof makeState>) => {
  const store = new Store(state)
  return store.readablePids().map((pid) => store.project(pid))
}

test('the same seed produces the same data, byte for byte', () => {
  const made = (seed: string) => JSON.stringify(makeState(seed, SMALL))
  expect(made('1')).toBe(made('1'))
  expect(made('2')).not.toBe(made('1'))
})

test('the data does not depend on the wall clock', () => {
  const now = JSON.stringify(makeState('1', SMALL))
  vi.useFakeTimers({ now: Date.parse('2031-07-01') })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  expect(JSON.stringify(makeState('1', SMALL))).toBe(now)
})

test('a larger size of one kind leaves the others unchanged', () => {
  const few = makeState('1', SMALL).projects[0]
  const more = makeState('1', { ...SMALL, archived: 500, tasks: 61 }).projects[0]
  expect(more?.tasks.slice(0, few?.tasks.length)).toEqual(few?.tasks)
  expect(more?.pages.map(({ page_id }) => page_id)).toEqual(few?.pages.map(({ page_id }) => page_id))
})

test('sizes are totals over the projects that the caller may read', () => {
  const size = fc.nat(60)
  const sizes = fc.record({
    projects: fc.integer({ min: 1, max: 12 }),
    barred: fc.integer({ min: 0, max: 2 }),
    tasks: size,
    archived: size,
    pages: size,
    posts: size,
    events: size,
  })
  fc.assert(
    fc.property(sizes, (asked) => {
      const state = makeState('1', asked)
      const projects = readable(state)
      const total = (count: (project: (typeof projects)[number]) => number) =>
        projects.reduce((sum, project) => sum + count(project), 0)
      expect({
        projects: projects.length,
        barred: state.projects.filter((project) => new Store(state).membership(project)?.permission === 0).length,
        tasks: total((project) => project.tasks.length),
        archived: total((project) => project.archived_tasks.length),
        pages: total((project) => project.pages.length),
        posts: total((project) => project.posts.length),
        events: total((project) => project.events.length),
      }).toEqual(asked)
    }),
    { numRuns: 40 },
  )
})

test('ids are unique', () => {
  const state = makeState('1', DEFAULT_SIZES)
  const ids = state.projects.flatMap((project) => [
    project.reference.pid,
    ...project.entries.map(({ entry_id }) => entry_id),
    ...[...project.tasks, ...project.archived_tasks].flatMap(({ tid, todos }) => [tid, ...todos.map((t) => t.todo_id)]),
    ...project.pages.map(({ page_id }) => page_id),
    ...project.posts.flatMap(({ post, comments }) => [post.post_id, ...comments.map(({ cid }) => cid)]),
    ...project.files.flatMap(({ file, comments }) => [file.fid, ...comments.map(({ cid }) => cid)]),
    ...project.events.map(({ event }) => event.event_id),
    ...project.webhooks.map(({ wid }) => wid),
  ])
  expect(new Set(ids).size).toBe(ids.length)
})

/** All texts in which a client finds links. */
function texts(project: ProjectState, foundPosts: ReadonlySet<string>): string {
  const posts = project.posts.filter(({ post }) => foundPosts.has(post.post_id))
  return JSON.stringify([
    project.pages.map(({ content }) => content),
    [...project.tasks, ...project.archived_tasks].map(({ desc }) => desc),
    project.events.map(({ event }) => event.summary),
    posts.map(({ post, comments }) => [post.content, comments.map(({ raw_message }) => raw_message)]),
  ])
}

test('posts are discoverable by links unless listed as unlinked', () => {
  for (const project of makeState('3', { ...DEFAULT_SIZES, posts: 80 }).projects) {
    const found = new Set<string>()
    for (let before = -1; before < found.size; ) {
      before = found.size
      for (const [, id = ''] of texts(project, found).matchAll(/posts?\/([0-9a-f]{24})/g)) {
        if (project.posts.some(({ post }) => post.post_id === id)) found.add(id)
      }
    }
    const missed = project.posts.map(({ post }) => post.post_id).filter((id) => !found.has(id))
    expect(missed.sort()).toEqual([...project.unlinked_posts].sort())
  }
})

test('files and folders are discoverable by attachments unless listed as unlinked', () => {
  for (const project of makeState('4', { ...DEFAULT_SIZES, posts: 80 }).projects) {
    const linked = new Set(
      project.posts.map(({ post }) => post.post_id).filter((id) => !project.unlinked_posts.includes(id)),
    )
    const found = new Set<string>()
    for (const [, fid = ''] of texts(project, linked).matchAll(/files?\/([0-9a-f]{24})/g)) found.add(fid)
    for (const { post, comments } of project.posts) {
      if (linked.has(post.post_id)) for (const { fids } of comments) for (const fid of fids) found.add(fid)
    }
    // Iterating a set includes elements added meanwhile.
    for (const fid of found) {
      const holder = project.files.find(({ file }) => file.fid === fid)
      if (holder?.file.folder_id) found.add(holder.file.folder_id)
      for (const { fids } of holder?.comments ?? []) for (const inner of fids) found.add(inner)
    }
    const missed = project.files.map(({ file }) => file.fid).filter((fid) => !found.has(fid))
    expect(missed.sort()).toEqual([...project.unlinked_files].sort())
  }
})
