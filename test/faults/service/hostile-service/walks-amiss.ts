import { value } from './answers-amiss.ts'
import { task } from './make-records.ts'
import type { Event, Task } from './records.ts'
import type { Behaviour, Exchange } from './rule.ts'
import { projectOf } from './world.ts'

/** Behaviours of lists that are walked. */

function archiveOf({ world, params }: Exchange): Task[] {
  return projectOf(world, params['pid'] ?? '').archived
}

/** So many records of the archive from a place on; none before its first one, where `slice` would count from the end. */
function part(exchange: Exchange, first: number, size: number): Task[] {
  return first < 0 ? [] : archiveOf(exchange).slice(first, first + size)
}

function asked({ params }: Exchange): { page: number; size: number } {
  return { page: Number(params['page']), size: Number(params['size']) }
}

/** Pages are never larger than this, and counted off by what is given. */
export function capped(most: number): Behaviour {
  return value((_, exchange) => {
    const { page, size } = asked(exchange)
    const given = Math.min(size, most)
    return part(exchange, (page - 1) * given, given)
  })
}

/** Pages have at most this size, but are counted by the requested size: records between them are on no page. */
export function cappedUnevenly(most: number): Behaviour {
  return value((_, exchange) => {
    const { page, size } = asked(exchange)
    return part(exchange, (page - 1) * size, Math.min(size, most))
  })
}

/** Another page than the one that was asked for. */
export function otherPage(choose: (page: number) => number): Behaviour {
  return value((_, exchange) => {
    const { page, size } = asked(exchange)
    return part(exchange, (choose(page) - 1) * size, size)
  })
}

/** After each answer the last record of the archive is the first one. */
export const moves: Behaviour = value((tasks: Task[], exchange) => {
  const archive = archiveOf(exchange)
  const last = archive.pop()
  if (last !== undefined) archive.unshift(last)
  return tasks
})

let made = 0

/** A full page of records that never were, for each page. */
export const growsForEver: Behaviour = value((_, exchange) => {
  const { size } = asked(exchange)
  return Array.from({ length: size }, () => task(exchange.params['pid'] ?? '', 10_000 + ++made, 'archived'))
})

/** A list of tasks whose end never comes. */
export const neverEnds: Behaviour = ({ response, params }) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('[')
  const more = () => {
    if (response.destroyed) return
    const tasks = Array.from(
      { length: 100 },
      () => `${JSON.stringify(task(params['pid'] ?? '', 10_000 + ++made, 'open'))},`,
    )
    if (response.write(tasks.join(''))) setImmediate(more)
  }
  response.on('drain', more)
  more()
}

const DAY = 86_400_000

/** Refuses times of more than so many days. */
export function refusesBeyond(days: number): Behaviour {
  return (exchange) => {
    const { start, end } = exchange.params
    if (Number(end) - Number(start) <= days * DAY) return value((events) => events)(exchange)
    const refusal = { error_code: 700001, error_message: '时间不对', request: '/v1/events' }
    exchange.response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal))
  }
}

/** Only events that start within the time asked for, its ends not included. */
export const strictlyWithin: Behaviour = value((events: Event[], { params }) => {
  return events.filter((event) => {
    const start = Date.parse(event.start)
    return start > Number(params['start']) && start < Number(params['end'])
  })
})
