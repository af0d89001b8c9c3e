import { OPERATIONS, type OperationId } from '@collab-etl/contract'
import { archivedTask, task } from '@collab-etl/harness/records'
import type { Behaviour, EventRecord, Exchange, Rule } from '@collab-etl/sandbox'
import { status, value } from '@collab-etl/sandbox/behaviours'

/** The operations that our commands read with. */
export const READS: readonly OperationId[] = OPERATIONS.filter(({ method }) => method === 'GET')
  .map(({ id }) => id)
  .filter((id) => !id.includes('today'))

/** A rule for each operation that reads, so that each counts its own requests. */
export function everywhere(rule: Omit<Rule, 'on' | 'does'>, does: Rule['does']): Rule[] {
  return READS.map((on) => ({ ...rule, on, does }))
}

/** An error of the service, with the status that it has, or another. */
export function serviceError(errorCode: number, httpStatus: number): Rule['does'] {
  return { kind: 'error', errorCode, status: httpStatus }
}

/** What a gateway says. */
export function gateway(httpStatus: number): Rule['does'] {
  return { kind: 'http', status: httpStatus }
}

/** Answers every page of an archive, also page 0, which the sandbox refuses. */
function everyPage(list: (exchange: Exchange) => unknown): Behaviour {
  return (exchange) =>
    void exchange.response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list(exchange)))
}

/** So many records of the archive from a place on; none before its first one, where `slice` would count from the end. */
function part({ store, params }: Exchange, first: number, size: number) {
  return first < 0 ? [] : store.project(String(params['pid'])).archived_tasks.slice(first, first + size)
}

function asked({ params }: Exchange): { page: number; size: number } {
  return { page: Number(params['page']), size: Number(params['size']) }
}

/** Pages are never larger than this, and counted by what is given, or `unevenly` by the requested size: some records are on no page. */
export function capped(most: number, unevenly = false): Behaviour {
  return everyPage((exchange) => {
    const { page, size } = asked(exchange)
    const given = Math.min(size, most)
    return part(exchange, (page - 1) * (unevenly ? size : given), given)
  })
}

/** Another page than the one that was asked for. */
export function otherPage(choose: (page: number) => number): Behaviour {
  return everyPage((exchange) => {
    const { page, size } = asked(exchange)
    return part(exchange, (choose(page) - 1) * size, size)
  })
}

/** After each answer the last record of the archive is the first one. */
export const moves: Behaviour = value((tasks, { store, params }) => {
  store.change(String(params['pid']), ({ archived_tasks }) => {
    const last = archived_tasks.pop()
    if (last !== undefined) archived_tasks.unshift(last)
  })
  return tasks
})

let made = 10_000

/** A full page of records that never were, for each page. */
export const growsForEver: Behaviour = everyPage((exchange) =>
  Array.from({ length: asked(exchange).size }, () => archivedTask(String(exchange.params['pid']), made++)),
)

/** A list of tasks whose end never comes. */
export const neverEnds: Behaviour = ({ response, params }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('[')
  const more = setInterval(() => {
    const tasks = Array.from({ length: 100 }, () => `${JSON.stringify(task(String(params['pid']), made++))},`)
    if (response.destroyed) clearInterval(more)
    else response.write(tasks.join(''))
  }, 20)
}

const DAY = 86_400_000

/** Refuses times of more than so many days. */
export function refusesBeyond(days: number, pid: string): Rule {
  const where: Rule['where'] = ({ start, end }) => Number(end) - Number(start) > days * DAY
  return { on: 'events.list', pid, where, does: serviceError(700001, 400) }
}

/** Only events that start within the time asked for, its ends not included. */
export const strictlyWithin: Behaviour = value((events: EventRecord[], { params }) => {
  return events.filter((event) => {
    const start = Date.parse(event.start)
    return start > Number(params['start']) && start < Number(params['end'])
  })
})

/** Too many requests. */
export function tooMany(retryAfter?: string): Behaviour {
  return status(429, 'slow down', retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}
