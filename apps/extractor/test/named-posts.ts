import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import type { Database } from './databases.ts'

/** A sandbox whose posts flags name, and the command on it and on a warehouse. */
export async function namedPosts(at: Database, options: SandboxOptions, retries = 0) {
  const sandbox = await startSandbox(options)
  const posts = sandbox.pids.flatMap((pid) =>
    sandbox.store.truth(pid).posts.map(({ post }) => ({ pid, id: post.post_id })),
  )
  const { baseUrl: COLLAB_BASE_URL, token: COLLAB_TOKEN } = sandbox
  const env = { COLLAB_BASE_URL, COLLAB_TOKEN, COLLAB_RETRIES: String(retries) }
  return {
    ...{ sandbox, env, pid: sandbox.pids[0] ?? '', ids: posts.map(({ id }) => id) },
    /** Flags that name each post. */
    named: posts.flatMap(({ pid, id }) => ['--post', `${pid}:${id}`]),
    snapshot: (...args: string[]) => snapshot(at, { sandbox, env }, args),
    query: (sql: string) => query(at, sql),
    /** When each post was read. */
    readAt: async () =>
      new Map((await query(at, 'SELECT post_id, read_at FROM collab.known_posts')).map(([id, time]) => [id, time])),
    /** Lets a time pass for readings. */
    pass: (days: number) =>
      at.script(
        ['known_posts', 'known_files', 'list_readings']
          .map((table) => `UPDATE collab.${table} SET read_at = read_at - interval '${days} days'`)
          .join(';'),
      ),
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}

async function query(at: Database, sql: string): Promise<unknown[][]> {
  return JSON.parse((await at.extract(['query', '--json', sql])).stdout).rows
}

/** The document of a snapshot, its exit code, its scopes of a stream, and what it requested. */
async function snapshot(
  at: Database,
  { sandbox, env }: { readonly sandbox: Sandbox; readonly env: Readonly<Record<string, string>> },
  args: readonly string[],
) {
  sandbox.clearRequests()
  const ran = await at.extract(['snapshot', '--json', ...args], env)
  const document = JSON.parse(ran.stdout)
  const of = (stream: string) => document.scopes.filter((each: { stream: string }) => each.stream === stream)
  const read = (operation: string) => sandbox.requests.filter((request) => request.operation === operation).length
  return {
    code: ran.code,
    ...document,
    of,
    scope: (stream: string) => of(stream)[0],
    read,
    sent: sandbox.requests.length,
  }
}
