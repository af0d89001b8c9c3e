import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nextFrom } from '@collab-etl/harness/from-child'
import { TOKEN, TOKEN_VARIABLE, WORLD, type World } from './world.ts'

export interface Source extends AsyncDisposable {
  readonly baseUrl: string
  /** Sets whether 1 % of the tasks are changed. */
  change(changed: boolean): Promise<void>
}

/** Starts the service in its own process. It is prepared completely before this returns. */
export async function startSource(world: Partial<World>): Promise<Source> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [JSON.stringify({ ...WORLD, ...world })], {
    execArgv: [],
    env: { ...process.env, [TOKEN_VARIABLE]: TOKEN },
  })
  const next = () => nextFrom(child, 'message', () => 'the source of the benches ended early')
  const [{ baseUrl }] = (await next()) as [{ baseUrl: string }] // the first message of `server.ts`
  return {
    baseUrl,
    async change(changed) {
      const done = next()
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
