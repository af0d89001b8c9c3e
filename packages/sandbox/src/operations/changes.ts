import type { ProjectState, TaskRecord, UserRecord } from '../store/state.ts'
import { attached } from '../store/views.ts'
import { type Context, found, timestamp } from './handler.ts'

/** Undocumented; 1 is assumed to be the web client. */
const CLIENT = 1

/** A comment as it is stored, and as the answer to its creation shows it. An unknown file is a `Refusal` (`failed`). */
export function newComment(
  context: Context,
  project: ProjectState,
  { message, fids, owner }: { readonly message: string; readonly fids: readonly string[]; readonly owner: UserRecord },
) {
  const files = fids.map((fid) => found(project.files.find(({ file }) => file.fid === fid)?.file, 'failed'))
  const bare = {
    cid: context.store.newId(),
    message,
    type: 1,
    format: 1,
    fids: [...fids],
    owner,
    files: files.map(attached),
    created_at: timestamp(context),
  }
  return { comment: { ...bare, raw_message: message }, answer: { ...bare, uid: owner.uid, client: CLIENT } }
}

/** The watchers with those members of the project who have these ids. */
export function watching(
  watchers: TaskRecord['watchers'],
  { members }: ProjectState,
  uids: readonly string[],
): TaskRecord['watchers'] {
  const added = members.map(({ user }) => user).filter(({ uid }) => uids.includes(uid))
  return [...watchers.filter(({ uid }) => !uids.includes(uid)), ...added]
}
