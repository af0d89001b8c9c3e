import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, cutAt, isNotFound, isTypicalCap } from '@collab-etl/core'
import { FURTHER, isFurther } from './further/kinds.ts'
import { TargetReader } from './further/target-reader.ts'
import type { FurtherKind } from './item.ts'
import { type CallState, textDigest } from './journal-lines.ts'
import type { JournalState } from './journal-state.ts'
import { collectTarget, isNotThere, type TargetRecord } from './service-calls.ts'

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

/** Determines whether a call took effect by reading the target. If it is not visible, reads again after the time in which it may still take effect. */
export async function lookFor(look: Look, call: UnknownCall): Promise<Finding> {
  const finding = await lookOnce(look, call)
  const { call: kind } = call.key
  const isRepeatable = isFurther(kind) && FURTHER[kind].isIdempotent
  if (finding.is !== 'not_created' || look.settleMs === 0 || isRepeatable) return finding
  await sleep(look.settleMs)
  return lookOnce(look, call)
}

async function lookOnce(look: Look, call: UnknownCall): Promise<Finding> {
  const { client, pid, state } = look
  const kind = call.key.call
  if (isFurther(kind)) return lookAmongValues(look, call, kind)
  if (kind === 'post') return { is: 'unclear', why: 'the service lists no posts' }
  if (kind === 'comment') {
    const sent = { ...call.sent, name: '' }
    if (client.capabilities.offers('tasks.comments.list'))
      return lookAmongValues(look, { ...call, sent }, 'task_comment')
    const [task] = await collectTarget(client, pid, 'task', (task) => (task.id === call.sent.under ? task : null))
    return commentOf(call, task)
  }
  const others = await collectTarget(client, pid, kind, (found) =>
    state.isAccountedFor(kind, found.id) ? null : found,
  )
  return among(others, call)
}

/** Values are equal in everything that was sent, so that it does not matter which of several is found. */
async function lookAmongValues(
  { client, pid, state }: Look,
  { sent }: UnknownCall,
  kind: FurtherKind,
): Promise<Finding> {
  try {
    const shown = await FURTHER[kind].list(new TargetReader(client, pid), sent)
    const found = shown.find(({ id, name, text, under = sent.under }) => {
      const isEqual = name === sent.name && textDigest(text) === sent.text && under === sent.under
      return isEqual && (id === null || state.holderOf(kind, id) === null)
    })
    if (found !== undefined) return { is: 'created', newId: found.id }
    const isCut = !FURTHER[kind].isIdempotent && isTypicalCap(shown.length)
    return isCut ? { is: 'unclear', why: cutAt(shown.length) } : { is: 'not_created' }
  } catch (error) {
    if (!isNotThere(error) && !isNotFound(error)) throw error
    return { is: 'unclear', why: error.message }
  }
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

/** Comments of tasks cannot be read, only counted. On a task that an earlier run created, people may have commented since. */
function commentOf({ sent: { isLater } }: UnknownCall, task: TargetRecord | undefined): Finding {
  if (task?.comments === 0) return { is: 'not_created' }
  if (task?.comments === 1 && isLater !== true) return { is: 'created', newId: null }
  return { is: 'unclear', why: task ? 'its task has comments of unknown origin' : 'its task is no longer in the list' }
}
