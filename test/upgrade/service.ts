import type { Sandbox } from '@collab-etl/sandbox'

// What the service of a release's fixture holds, and what happens to it between two snapshots: rows of every kind, with history, deletions,
// conversion issues and an item that could not be read.

/** Sizes of the data: small, because the files are checked in. */
export const SIZES = { seed: 18, projects: 2, barred: 0, tasks: 14, archived: 6, pages: 8, posts: 4, events: 6 }

/** Before the first snapshot: links to posts and pages, and a text that cannot be stored exactly. */
export function prepare({ store, pids }: Sandbox): void {
  for (const pid of pids)
    store.change(pid, ({ pages, posts, tasks }) => {
      const [page, other] = pages
      if (page && other) page.content += `\n\nSee [the other](/projects/${pid}/pages/${other.page_id}).\n`
      for (const { post } of posts) if (page) page.content += `\n[post](/projects/${pid}/posts/${post.post_id})\n`
      if (tasks[0]) tasks[0].name = 'a NUL: \0, which Postgres refuses; 中文, עברית, "quotes", back\\slash'
    })
}

/** Between the first and the second snapshot. */
export function change({ store, pids }: Sandbox): void {
  const [pid = ''] = pids
  store.archiveTask(pid, store.project(pid).tasks[1]?.tid ?? '')
  store.change(pid, ({ pages, tasks, events }) => {
    if (tasks[0]) tasks[0].desc = 'changed before the second snapshot'
    pages.pop()
    events.pop()
  })
  store.changeUser(store.users[0]?.uid ?? '', (user) => {
    user.display_name = 'Renamed'
  })
}
