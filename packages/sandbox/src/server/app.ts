import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { addControl } from './control.ts'
import { addOauth } from './oauth-routes.ts'
import { addOpenApi } from './openapi.ts'
import { readBody } from './params.ts'
import { addRoutes } from './routes.ts'
import type { Service } from './service.ts'

/** The largest request body, in bytes. The service documents no limit. */
const BODY_LIMIT = 64 * 1024 * 1024

/** The longest path parameter, in characters. */
const PARAM_LENGTH = 1024

/** The HTTP server: the operations, `/openapi.json` and the control interface. */
export async function makeApp(service: Service, compress: boolean): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    // Stalled answers would prevent the server from closing.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: PARAM_LENGTH },
    // `paramsReader` checks parameters; answers are not validated. Fastify does not load its own compilers of schemas then.
    schemaController: {
      compilersFactory: {
        buildValidator: () => () => (() => true) as never, // its type asks for a function of Ajv
        buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
      },
    },
    frameworkErrors: (error, request, reply) => failure(request, reply, error.statusCode ?? 400, error.message),
  })
  addBodies(app)
  await addOpenApi(app, () => service.context.extended)
  addRoutes(app, service, compress)
  addOauth(app, service)
  addControl(app, service)
  app.setNotFoundHandler((request, reply) => {
    service.log.begin(null, request.method, request.url).status = 404
    service.log.end()
    return failure(request, reply, 404, '接口不存在')
  })
  app.setErrorHandler((error, request, reply) => {
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
    return failure(request, reply, status, error instanceof Error ? error.message : String(error))
  })
  return app
}

/** Reads bodies of every content type in the same way, also without a content type. */
function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fastify rejects unknown content types before it calls a parser.
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['content-type'] !== undefined) headers['content-type'] = 'text/plain'
  })
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string | Buffer) =>
    readBody(body.toString()),
  )
}

/** An error without a documented code: the code is its status, and `request` is the path as received. */
function failure(request: FastifyRequest, reply: FastifyReply, status: number, message: string) {
  const body = { error_code: status, error_message: message, request: request.url.split('?', 1)[0] ?? '' }
  return reply.code(status).send(body)
}
