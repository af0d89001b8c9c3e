import type { RecordKinds, StreamBatch } from './batch.ts'

/** The texts of a record in which links may stand. */
export function textsOf(batch: StreamBatch): string[] {
  const texts: (string | null | undefined)[] = []
  switch (batch.kind) {
    case 'task':
    case 'archived_task':
      for (const task of batch.records) texts.push(...textsOfTask(task))
      break
    case 'page':
      for (const page of batch.records) texts.push(page.content, page.summary)
      break
    case 'post':
      for (const post of batch.records) texts.push(post.content, post.summary)
      break
    case 'event':
      for (const event of batch.records) texts.push(event.summary, event.desc, event.location)
      break
    case 'post_comment':
    case 'file_comment':
      for (const { comment } of batch.records) texts.push(comment.message, comment.raw_message)
      break
    default:
      break
  }
  return texts.filter((text) => typeof text === 'string')
}

function textsOfTask(task: RecordKinds['archived_task']): (string | null)[] {
  return [task.desc, ...task.todos.map((todo) => todo.name)]
}
