import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CODE_EXPIRED, NO_REFRESH_TOKEN, WRONG_REFRESH_TOKEN } from '../oauth/grants.ts'
import { property } from './params.ts'
import type { Service } from './service.ts'

/** A parameter is missing. */
const MISSING = 1003

const MESSAGES: Readonly<Record<number, string>> = {
  [MISSING]: '参数错误',
  [CODE_EXPIRED]: 'code 已过期',
  [NO_REFRESH_TOKEN]: '缺少 refresh_token',
  [WRONG_REFRESH_TOKEN]: 'refresh_token 不正确',
}

/** The three steps of signing in. The authorization page agrees at once, for every client. */
export function addOauth(app: FastifyInstance, service: Service): void {
  const { grants } = service
  const schema = { hide: true }

  app.get('/oauth2/authorize', { schema }, async (request, reply) => {
    if (!(await begin(service, request))) return reply.callNotFound()
    const clientId = text(request.query, 'client_id')
    const redirectUri = text(request.query, 'redirect_uri')
    if (clientId === '' || !URL.canParse(redirectUri)) return refuse(request, reply, MISSING)
    const target = new URL(redirectUri)
    target.searchParams.set('code', grants.newCode(clientId, redirectUri))
    const state = text(request.query, 'state')
    if (state !== '') target.searchParams.set('state', state)
    return reply.redirect(target.href, 302)
  })

  app.post('/oauth2/access_token', { schema }, async (request, reply) => {
    if (!(await begin(service, request))) return reply.callNotFound()
    const code = text(request.body, 'code')
    const clientId = text(request.body, 'client_id')
    if (code === '' || clientId === '') return refuse(request, reply, MISSING)
    return grants.exchange(code, clientId, text(request.body, 'redirect_uri')) ?? refuse(request, reply, CODE_EXPIRED)
  })

  app.get('/oauth2/refresh_token', { schema }, async (request, reply) => {
    if (!(await begin(service, request))) return reply.callNotFound()
    const { headers, query } = request
    const inHeader = service.quirks.dropsTokenHeader ? '' : text(headers, 'refresh_token')
    const token = inHeader || text(query, 'refresh_token')
    if (token === '') return refuse(request, reply, NO_REFRESH_TOKEN)
    const clientId = text(query, 'client_id') || text(headers, 'client_id')
    return grants.refresh(token, clientId) ?? refuse(request, reply, WRONG_REFRESH_TOKEN)
  })
}

/** Logs a request without its query, which may hold tokens. Returns whether signing in is offered. */
async function begin(service: Service, { method, url }: FastifyRequest): Promise<boolean> {
  if (!service.offersOauth) return false
  service.log.begin(null, method, pathOf(url)).status = 200
  service.log.end()
  if (service.latencyMs > 0) await sleep(service.latencyMs)
  return true
}

function refuse(request: FastifyRequest, reply: FastifyReply, code: number) {
  const body = { error_code: code, error_message: MESSAGES[code], request: pathOf(request.url) }
  return reply.code(400).send(body)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function text(source: unknown, name: string): string {
  const value = property(source, name)
  return typeof value === 'string' ? value : ''
}
