import type { ClientOptions } from '../../src/index.ts'
import { clientOf, errorBody, json, type Seen, serve } from './server.ts'

export const NOT_FOUND = 400004
export const REFUSED = 100006

/** What the users see: their projects with permissions. A project that one does not see does not exist for it. */
type World = Record<string, Record<string, number>>

type Answer = (response: Parameters<typeof json>[0], seen: Seen) => unknown

interface Service {
  readonly users: World
  readonly refused: Set<string>
  /** Answers before the world does, unless it returns `false`. */
  before: Answer
}

/** A service with users `anna`, `ben` and `carl`, whose tokens are their names. */
export async function serviceOf(users: World) {
  const service: Service = { users, refused: new Set(), before: () => false }
  const server = await serve((response, seen) => {
    const user = userOf(seen)
    if (service.refused.has(user)) return errorBody(response, REFUSED, 400)
    if (service.before(response, seen) !== false) return
    const projects = service.users[user] ?? {}
    const pid = /projects\/(\w+)|[?&]pid=(\w+)/.exec(seen.url)?.slice(1).find(Boolean)
    if (pid === undefined) {
      const list = Object.entries(projects).map(([id, permission]) => ({ pid: id, name: id, permission }))
      return json(response, seen.url.startsWith('/v1/projects') ? list : [{ wid: `w-${user}`, uid: user, actions: [] }])
    }
    if (!(pid in projects)) return errorBody(response, NOT_FOUND, 404)
    if (projects[pid] === 0) return errorBody(response, 403, 403)
    return json(response, seen.url.startsWith('/v1/projects') ? { pid, name: pid } : [])
  })
  const open = (names: readonly string[], options: Partial<ClientOptions> = {}) =>
    clientOf(server, {
      token: undefined,
      accounts: names.map((name) => ({ name, token: name })),
      retries: 1,
      ...options,
    })
  const whoAsked = (path: string) => server.seen.filter(({ url }) => url.startsWith(path)).map(userOf)
  return { service, server, open, whoAsked }
}

export function userOf({ headers }: Seen): string {
  return String(headers['access_token'])
}
