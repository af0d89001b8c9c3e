import type { RecordKinds, StreamBatch } from '@collab-etl/contract/streams'

/** The texts of one record that may contain links. */
interface RecordTexts {
  /** The record's id. */
  readonly key: string
  readonly texts: readonly string[]
}

/** The texts of a batch, record by record. */
export function textsOf(batch: StreamBatch): RecordTexts[] {
  switch (batch.kind) {
    case 'task':
    case 'archived_task':
      return batch.records.map((task) => recordTexts(task.tid, textsOfTask(task)))
    case 'page':
      return batch.records.map((page) => recordTexts(page.page_id, [page.content, page.summary]))
    case 'post':
      return batch.records.map((post) => recordTexts(post.post_id, [post.content, post.summary]))
    case 'event':
      return batch.records.map((event) => recordTexts(event.event_id, [event.summary, event.desc, event.location]))
    case 'post_comment':
    case 'file_comment':
      return batch.records.map(({ comment }) => recordTexts(comment.cid, [comment.message, comment.raw_message]))
    default:
      return []
  }
}

function textsOfTask(task: RecordKinds['archived_task']): (string | null)[] {
  return [task.desc, ...task.todos.map((todo) => todo.name)]
}

function recordTexts(key: string, texts: readonly (string | null | undefined)[]): RecordTexts {
  return { key, texts: texts.filter((text) => typeof text === 'string') }
}
