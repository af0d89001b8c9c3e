import { cutAt, isTypicalCap } from '@collab-etl/core'
import { isAuthError, isCollabError } from '@collab-etl/core/errors'
import pLimit from 'p-limit'
import { differencesOfRecord } from '../difference.ts'
import type { FurtherKind } from '../item.ts'
import type { Inexact, NotCompared } from '../outcome.ts'
import type { RestoreRequest } from '../request.ts'
import { FURTHER, type SentValue } from './kinds.ts'
import { TargetReader } from './target-reader.ts'
import { type FurtherValue, isOfRecord, nameToSend, valueOfEvent, valuesOf } from './values.ts'

/** Records whose values are read in parallel; the client may limit further. */
const RECORDS_AT_ONCE = 8

export interface ComparedValues {
  readonly compared: Partial<Record<FurtherKind, number>>
  readonly inexact: readonly Inexact[]
  readonly notCompared: readonly NotCompared[]
}

/** A value and what it belongs to in the target. */
interface Expected {
  readonly value: FurtherValue
  readonly under: string
}

/** Reads the task groups, events and values that any run has created, and compares them with the backup. */
export async function compareValues(request: RestoreRequest): Promise<ComparedValues> {
  const { plan, signal, groupsToCreate, possible } = request
  const compared: Partial<Record<FurtherKind, number>> = {}
  const inexact: Inexact[] = []
  const notCompared: NotCompared[] = []
  const limit = pLimit(RECORDS_AT_ONCE)
  const groups = groupsToCreate.map(({ id, name }) => ({
    value: { kind: 'group' as const, id, name, text: '' },
    under: '',
  }))
  const ofItems = plan.items.map((item) => () => valuesOfItem(request, item))
  const ofEvents = possible.kinds.has('event')
    ? plan.events.map((event) => () => valueOfPlannedEvent(request, event))
    : []
  const reading = [async () => groups, ...ofItems, ...ofEvents].map((expected) =>
    limit(async () => {
      signal.throwIfAborted()
      await compareAll(await expected())
    }),
  )
  await Promise.all(reading)
  return { compared, inexact, notCompared }

  /** Compares values that are read together. */
  async function compareAll(expected: readonly Expected[]): Promise<void> {
    const target = new TargetReader(request.client, request.toProject)
    for (const each of expected.filter(({ value }) => isExpected(request, value))) {
      const { kind, id, name, text } = each.value
      const about = { kind, id, title: name || text }
      try {
        const { newId, found, shown } = await differencesOf(request, target, each)
        if (found === null) {
          notCompared.push({ ...about, why: cutAt(shown) })
          continue
        }
        compared[kind] = (compared[kind] ?? 0) + 1
        inexact.push(...found.map((difference): Inexact => ({ ...about, newId, seen: 'read', ...difference })))
      } catch (error) {
        if (isAuthError(error) || !isCollabError(error)) throw error
        notCompared.push({ ...about, why: error.message })
      }
    }
  }
}

async function valuesOfItem(
  request: RestoreRequest,
  item: RestoreRequest['plan']['items'][number],
): Promise<Expected[]> {
  const { journal, possible } = request
  const call = journal.state.of({ call: item.kind, id: item.id })
  const newId = call?.state === 'done' ? call.newId : null
  // A newer backup of the target itself has what was created.
  if (item.kind === 'page' || newId === null || newId === item.id) return []
  return valuesOf(item, await request.read(item), possible).map((value) => ({ value, under: newId }))
}

async function valueOfPlannedEvent(
  request: RestoreRequest,
  event: RestoreRequest['plan']['events'][number],
): Promise<Expected[]> {
  const value = valueOfEvent((await request.read(event)).record)
  return value === null ? [] : [{ value, under: value.under }]
}

/** Whether the target should have a value: it was written, or it was added to a task after its values were written. */
function isExpected({ journal: { state } }: RestoreRequest, value: FurtherValue): boolean {
  const { kind: call, id } = value
  if (state.of({ call, id }) !== undefined) return state.has(value)
  const [tid = ''] = id.split('/')
  return isOfRecord(value) && state.isWritten(tid) && nameToSend(value, state) !== null
}

/** `found` is `null` if the value is in no list that may be cut; `shown` is the length of the list. */
async function differencesOf({ journal: { state } }: RestoreRequest, target: TargetReader, { value, under }: Expected) {
  const { kind, id, text } = value
  const { list, fields } = FURTHER[kind]
  const call = state.of({ call: kind, id })
  const newId = call?.state === 'done' ? call.newId : null
  const sent: SentValue = { name: nameToSend(value, state) ?? '', text, under }
  const shown = await list(target, sent)
  const named = (of: SentValue) => ({ [fields.name]: of.name, [fields.text]: of.text, [fields.under]: of.under })
  const differencesFrom = (found: (typeof shown)[number]) =>
    differencesOfRecord(named(sent), named({ under, ...found }))
  const same = shown.find((each) => (newId === null ? differencesFrom(each).length === 0 : each.id === newId))
  if (same !== undefined) return { newId, found: differencesFrom(same), shown: shown.length }
  if (newId !== null && isTypicalCap(shown.length)) return { newId, found: null, shown: shown.length }
  // A task has one due date, but several labels, members and comments.
  const instead = kind === 'due_date' ? (shown[0]?.name ?? null) : null
  const how = instead === null ? 'missing' : 'another value'
  const missing = { field: newId === null ? fields.name : 'id', how, sent: sent.name || text, found: instead }
  return { newId, found: [missing], shown: shown.length }
}
