import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@collab-etl/core'
import { type CallKey, type CallState, textDigest, textOfKey } from './journal-lines.ts'
import type { JournalState } from './journal-state.ts'
import { collectTarget, type TargetRecord } from './service-calls.ts'

/** A call whose outcome is unknown. */
export type UnknownCall = Extract<CallState, { state: 'begun' }>

/** What the target shows about an unknown call. */
export type Finding =
  | { readonly is: 'created'; readonly newId: string | null }
  | { readonly is: 'not_created' }
  | { readonly is: 'unclear'; readonly why: string }

export interface Look {
  readonly client: Client
  /** The project in the target. */
  readonly pid: string
  readonly state: JournalState
  /** How long a call may still take effect, in milliseconds. */
  readonly settleMs: number
}

/**
 * Determines whether calls took effect by reading the target: once for all calls, and again when calls that are not visible can no
 * longer arrive. Keyed by `textOfKey`.
 */
export async function lookFor(look: Look, calls: readonly UnknownCall[]): Promise<Map<string, Finding>> {
  const findings = await lookOnce(look, calls)
  const unseen = calls.filter((call) => findings.get(textOfKey(call.key))?.is === 'not_created')
  if (unseen.length === 0 || look.settleMs === 0) return findings
  await sleep(look.settleMs)
  return new Map([...findings, ...(await lookOnce(look, unseen))])
}

async function lookOnce(look: Look, calls: readonly UnknownCall[]): Promise<Map<string, Finding>> {
  const { client, pid, state } = look
  const of = (kind: CallKey['call']) => calls.filter(({ key }) => key.call === kind)
  const findings = new Map<string, Finding>()
  const find = (call: UnknownCall, finding: Finding) => findings.set(textOfKey(call.key), finding)
  for (const call of of('post')) find(call, { is: 'unclear', why: 'the service lists no posts' })
  const [pages, tasks, comments] = [of('page'), of('task'), of('comment')]
  if (pages.length > 0) {
    const others = await collectTarget(client, pid, 'page', (page) =>
      state.isAccountedFor('page', page.id) ? null : page,
    )
    for (const call of pages) find(call, among(others, call))
  }
  if (tasks.length + comments.length > 0) {
    const commented = new Set(comments.map(({ sent }) => sent.under))
    const found = await collectTarget(client, pid, 'task', (task) =>
      state.isAccountedFor('task', task.id) && !commented.has(task.id) ? null : task,
    )
    const others = found.filter(({ id }) => !commented.has(id))
    for (const call of tasks) find(call, among(others, call))
    for (const call of comments)
      find(
        call,
        commentOf(
          call,
          found.find(({ id }) => id === call.sent.under),
        ),
      )
  }
  return findings
}

/** Decides only if there is exactly one equal record, or no similar one. */
function among(others: readonly TargetRecord[], { sent }: UnknownCall): Finding {
  const hasText = ({ text }: TargetRecord) => textDigest(text ?? '') === sent.text
  const sameName = others.filter(({ name, under }) => name === sent.name && under === sent.under)
  const same = sameName.filter(hasText)
  const [only] = same
  if (only && same.length === 1) return { is: 'created', newId: only.id }
  const like = same.length > 0 ? same : sameName
  const akin = like.length > 0 ? like : others.filter((other) => (other.text ?? '') !== '' && hasText(other))
  if (akin.length === 0) return { is: 'not_created' }
  const ids = akin.slice(0, 5).map(({ id }) => id)
  return { is: 'unclear', why: `the project has similar records of unknown origin: ${ids.join(', ')}` }
}

/** Comments of tasks cannot be read, but the task counts them; those on a task of an earlier run may be of people. */
function commentOf({ sent: { isLater } }: UnknownCall, task: TargetRecord | undefined): Finding {
  if (task?.comments === 0) return { is: 'not_created' }
  if (task?.comments === 1 && isLater !== true) return { is: 'created', newId: null }
  return { is: 'unclear', why: task ? 'its task has other comments' : 'its task is no longer in the list' }
}
