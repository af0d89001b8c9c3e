import type { FastifyInstance } from 'fastify'
import type { Fault } from '../faults/fault.ts'
import { FaultError, type Faults } from '../faults/faults.ts'
import { Serialised } from '../store/serialised.ts'
import type { Store } from '../store/store.ts'
import { projectListItem } from '../store/views.ts'
import type { RequestLog } from './request-log.ts'
import { send } from './send.ts'

interface Controlled {
  readonly store: Store
  readonly faults: Faults
  readonly log: RequestLog
}

/** Adds the control interface for tests in other processes: faults, received requests and stored data. It needs no token. */
export function addControl(app: FastifyInstance, { store, faults, log }: Controlled): void {
  const schema = { hide: true }

  app.post('/_sandbox/faults', { schema }, (request, reply) => {
    try {
      const { id } = faults.add(request.body as Fault) // `add` checks what it is given
      return reply.code(201).send({ id })
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      return reply.code(400).send({ error: error.message })
    }
  })

  app.delete('/_sandbox/faults', { schema }, (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })

  app.get('/_sandbox/requests', { schema }, () => log.requests)

  app.delete('/_sandbox/requests', { schema }, (_request, reply) => {
    log.clear()
    return reply.code(204).send()
  })

  app.get<{ Querystring: { pid?: string } }>('/_sandbox/truth', { schema }, async (request, reply) => {
    const { pid } = request.query
    if (pid === undefined) {
      return {
        pids: store.readablePids(),
        projects: store.projects.flatMap((project) => projectListItem(project, store.caller) ?? []),
        personal_webhooks: store.personalWebhooks,
      }
    }
    if (!store.find(pid)) return reply.code(404).send({ error: `The sandbox holds no project ${pid}` })
    reply.hijack()
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    await send(reply.raw, { answer: { status: 200, headers, body: Serialised.object(store.view(pid)) } })
    return reply
  })
}
