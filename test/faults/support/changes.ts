import type { Sandbox } from '@collab-etl/sandbox'

/** Changes every stream of a project, so that a mixture of old and new differs from both. */
export function changeProject({ store }: Sandbox, pid: string, turn: number): void {
  const [first] = store.project(pid).tasks
  if (first !== undefined && turn % 3 === 0) store.archiveTask(pid, first.tid)
  store.change(pid, (project) => {
    project.desc = `turn ${turn}`
    const pick = <T>(list: readonly T[]): T | undefined => list[turn % Math.max(1, list.length)]
    const task = pick(project.tasks)
    if (task) {
      task.name = `Task of turn ${turn}`
      task.labels = turn % 2 === 0 ? [{ name: 'red', desc: 'even' }] : [{ name: 'blue', desc: 'odd' }]
      task.todos = task.todos.slice(1)
      const checked = task.todos.filter((todo) => todo.checked === 1)
      Object.assign(task.badges, { todo_count: task.todos.length, todo_checked_count: checked.length })
    }
    const archived = pick(project.archived_tasks)
    if (archived) archived.desc = `turn ${turn}`
    if (project.archived_tasks.length > 4 && turn % 4 === 0) project.archived_tasks.pop()
    const page = pick(project.pages)
    if (page) page.name = `Page of turn ${turn}`
    const post = pick(project.posts)
    if (post) {
      post.post.name = `Post of turn ${turn}`
      const [comment] = post.comments
      if (comment) comment.message = `turn ${turn}`
    }
    const file = pick(project.files)
    if (file) file.file.desc = `turn ${turn}`
    const event = pick(project.events)
    if (event) event.event.name = `Event of turn ${turn}`
    const webhook = pick(project.webhooks)
    if (webhook) webhook.name = `Webhook of turn ${turn}`
  })
}
