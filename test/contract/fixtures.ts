import type { ProjectTruth, Sandbox } from '@collab-etl/sandbox'

/** Ids of records in one project of a sandbox, as parameters of the operations. */
export interface Fixtures {
  readonly pid: string
  readonly truth: ProjectTruth
  readonly tid: string
  readonly entry_id: string
  readonly assigned: { readonly tid: string; readonly member_id: string }
  readonly labelled: { readonly tid: string; readonly label: string }
  readonly post_id: string
  readonly cid: string
  readonly fid: string
  readonly wid: string
  readonly eventComment: { readonly event_id: string; readonly cid: string }
}

/** Finds the first project with a record of each kind. */
export function findFixtures(sandbox: Sandbox): Fixtures {
  for (const pid of sandbox.pids) {
    const truth = sandbox.store.truth(pid)
    const task = truth.tasks[0]
    const assigned = truth.tasks.find(({ members }) => members.length > 0)
    const labelled = truth.tasks.find(({ labels }) => labels.length > 0)
    const post = truth.posts.find(({ comments }) => comments.length > 0)
    const discussed = sandbox.store.project(pid).events.find(({ comments }) => comments.length > 0)
    const eventCid = discussed?.comments[0]?.cid
    const [fid, wid] = [truth.files[0]?.file.fid, truth.webhooks[0]?.wid]
    const member_id = assigned?.members[0]?.uid
    const label = labelled?.labels[0]?.name
    const cid = post?.comments[0]?.cid
    if (!task || !assigned || !labelled || !post || !discussed || !eventCid) continue
    if (!fid || !wid || !member_id || !label || !cid) continue
    return {
      pid,
      truth,
      fid,
      wid,
      cid,
      eventComment: { event_id: discussed.event.event_id, cid: eventCid },
      tid: task.tid,
      entry_id: task.entry_id,
      assigned: { tid: assigned.tid, member_id },
      labelled: { tid: labelled.tid, label },
      post_id: post.post.post_id,
    }
  }
  throw new Error('no project of the sandbox has one of each: ask for more data')
}
