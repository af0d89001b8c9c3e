import { OPERATIONS } from '@collab-etl/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonAnswer } from '../answer.ts'
import { isOffered, SERVED_OPERATIONS, type ServedOperation } from '../operations/served.ts'
import { routeSchema } from './openapi.ts'
import type { Outcome } from './outcome.ts'
import { paramsReader } from './params.ts'
import { compressed, send } from './send.ts'
import { type Service, serve } from './service.ts'

const EMPTY_PID = '/v1/projects/'

/** A route for each operation. One that is not offered is answered like an unknown path. */
export function addRoutes(app: FastifyInstance, service: Service, compress: boolean): void {
  for (const operation of SERVED_OPERATIONS) {
    const handler = handlerOf(operation, service, compress)
    const { method, path } = operation
    const respond: RouteHandler = (request, reply) =>
      isOffered(operation, service.context.extended) ? handler(request, reply) : void reply.callNotFound()
    app.route({ method, url: path, schema: routeSchema(operation), handler: respond })
    // Some clients append a slash to every path. For a list that is not offered, what follows the slash is an empty id.
    const withSlash = `${path}/`
    const one = OPERATIONS.find((other) => other.method === method && other.path.replace(/:\w+$/, '') === withSlash)
    const ofOne = one && handlerOf(one, service, compress)
    const slashed: RouteHandler = (request, reply) =>
      ofOne && !isOffered(operation, service.context.extended) ? ofOne(request, reply) : respond(request, reply)
    if (withSlash !== EMPTY_PID) app.route({ method, url: withSlash, schema: { hide: true }, handler: slashed })
    // Without its last part, the path names a project with an empty id.
    if (path === '/v1/projects/:pid') app.get(EMPTY_PID, { schema: { hide: true } }, respond)
  }
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void

function handlerOf(operation: ServedOperation, service: Service, compress: boolean) {
  const read = paramsReader(operation)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { params: path, query, body, headers, raw } = request
    const logged = service.log.begin(operation.id, request.method, raw.url ?? '')
    reply.hijack()
    try {
      // An empty header counts as missing; the header takes precedence over the query.
      const token = (service.quirks.dropsTokenHeader ? '' : headers['access_token']) || tokenOf(query)
      const reading = read({ path, query, body })
      const outcome = await serve(service, { operation, token, logged, ...reading })
      const { answer } = outcome
      logged.status = answer?.status ?? null
      if (answer !== null && outcome.act !== undefined) {
        const { store } = service.context
        const { status } = answer
        return await outcome.act({
          operation: operation.id,
          params: reading.params,
          status,
          text: answer.body.toText(),
          store,
          request: raw,
          response: reply.raw,
        })
      }
      const sent: Outcome =
        answer && compress && !outcome.break
          ? { answer: await compressed(answer, headers['accept-encoding']) }
          : outcome
      await send(reply.raw, sent)
    } catch (error) {
      // A hook or the sandbox itself failed: answer instead of leaving the client waiting.
      logged.status = 500
      await send(reply.raw, {
        answer: jsonAnswer(500, { error_code: 500, error_message: String(error), request: operation.path }),
      })
    } finally {
      service.log.end()
    }
  }
}

function tokenOf(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('access_token' in query)) return undefined
  return query.access_token
}
