import type { ConversionIssue, StreamBatch } from '@collab-etl/contract/streams'

/** Losses for records that name another project than the one they were read from (`null`: none). */
export function misplaced(pid: string | null, batch: StreamBatch): ConversionIssue[] {
  const field = batch.kind === 'event' ? 'project.pid' : 'pid'
  return namedProjects(batch)
    .filter(([, named]) => named && named !== pid)
    .map(([recordKey, named]) => ({ recordKey, field, kind: 'misplaced', original: JSON.stringify(named) }))
}

/** The key of each record, and the project that it names. */
function namedProjects(batch: StreamBatch): [key: string, named: string | null | undefined][] {
  switch (batch.kind) {
    case 'project':
      return batch.records.map(({ pid, detail }) => [pid, detail?.pid])
    case 'task':
    case 'archived_task':
      return batch.records.map(({ tid, pid }) => [tid, pid])
    case 'entry':
      return batch.records.map(({ entry_id, pid }) => [entry_id, pid])
    case 'page':
      return batch.records.map(({ page_id, pid }) => [page_id, pid])
    case 'post':
      return batch.records.map(({ post_id, pid }) => [post_id, pid])
    case 'event':
      return batch.records.map(({ event_id, start, project }) => [`${event_id} ${start}`, project?.pid])
    case 'file':
      return batch.records.map(({ fid, pid }) => [fid, pid])
    case 'webhook':
      return batch.records.map(({ wid, pid }) => [wid, pid])
    default:
      return []
  }
}

/** The id of each record of a batch, and its texts that may contain links. */
export function textsOf(batch: StreamBatch): [id: string, ...texts: (string | null | undefined)[]][] {
  switch (batch.kind) {
    case 'task':
    case 'archived_task':
      return batch.records.map(({ tid, desc, todos }) => [tid, desc, ...todos.map(({ name }) => name)])
    case 'page':
      return batch.records.map(({ page_id, content, summary }) => [page_id, content, summary])
    case 'post':
      return batch.records.map(({ post_id, content, summary }) => [post_id, content, summary])
    case 'event':
      return batch.records.map(({ event_id, summary, desc, location }) => [event_id, summary, desc, location])
    case 'post_comment':
    case 'file_comment':
    case 'task_comment':
      return batch.records.map(({ comment: { cid, message, raw_message } }) => [cid, message, raw_message])
    default:
      return []
  }
}
