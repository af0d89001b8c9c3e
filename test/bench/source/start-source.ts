import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { TOKEN, TOKEN_VARIABLE, WORLD, type World } from './world.ts'

export interface Source extends AsyncDisposable {
  readonly baseUrl: string
  /** Whether 1 % of the tasks are changed from now on. */
  change(changed: boolean): Promise<void>
}

/** Starts the service in its own process: made ready before this returns, so that nothing is prepared while one measures. */
export async function startSource(world: Partial<World>, token: string = TOKEN): Promise<Source> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [JSON.stringify({ ...WORLD, ...world })], {
    execArgv: [],
    env: { ...process.env, [TOKEN_VARIABLE]: token },
  })
  const [{ baseUrl }] = await next(child)
  return {
    baseUrl,
    async change(changed) {
      const done = next(child)
      child.send({ changed })
      await done
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

async function next(child: ReturnType<typeof fork>): Promise<[{ baseUrl: string }]> {
  const over = new AbortController()
  try {
    const message = once(child, 'message', { signal: over.signal })
    const exit = once(child, 'exit', { signal: over.signal }).then(() => {
      throw new Error('the source of the benches ended early')
    })
    return (await Promise.race([message, exit])) as [{ baseUrl: string }]
  } finally {
    over.abort()
  }
}
