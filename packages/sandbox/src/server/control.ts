import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Fault } from '../faults/fault.ts'
import { FaultError } from '../faults/faults.ts'
import { Serialised } from '../store/serialised.ts'
import { projectListItem } from '../store/views.ts'
import { property } from './params.ts'
import { send } from './send.ts'
import type { Service } from './service.ts'

/** Adds the control interface for tests in other processes: users, faults, received requests and stored data. It needs no token. */
export function addControl(app: FastifyInstance, { context, accounts, faults, log }: Service): void {
  const schema = { hide: true }

  app.post('/_sandbox/accounts', { schema }, (request, reply) => {
    const uid = property(request.body, 'uid')
    try {
      return reply.code(201).send(accounts.add(uid === undefined ? undefined : String(uid)))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return reply.code(400).send({ error: error.message })
    }
  })

  app.delete('/_sandbox/accounts', { schema }, (request, reply) => {
    accounts.revoke(String(property(request.body, 'token')))
    return reply.code(204).send()
  })

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

  app.get<{ Querystring: { pid?: string; uid?: string } }>('/_sandbox/truth', { schema }, async (request, reply) => {
    const { pid, uid = context.store.caller.uid } = request.query
    if (!context.store.users.some((user) => user.uid === uid)) return unknown(reply, `user ${uid}`)
    const store = context.store.as(uid)
    if (pid === undefined) {
      return {
        pids: store.readablePids(),
        projects: store.projects.flatMap((project) => projectListItem(project, store.caller) ?? []),
        personal_webhooks: store.personalWebhooks,
      }
    }
    if (!store.find(pid)) return unknown(reply, `project ${pid}`)
    reply.hijack()
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    await send(reply.raw, { answer: { status: 200, headers, body: Serialised.object(store.view(pid)) } })
    return reply
  })
}

function unknown(reply: FastifyReply, what: string) {
  return reply.code(404).send({ error: `The sandbox holds no ${what}` })
}
