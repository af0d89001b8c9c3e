import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PostgresBinaries } from './postgres-binaries.ts'
import type { KeeperMessage, KeeperOrder } from './postgres-keeper.ts'

/** A Postgres server on loopback, without a container. */
export interface LocalPostgres {
  /** Address of the database `test`, with a superuser's name and password. */
  readonly url: string
  /** Such as `17.10`. */
  readonly version: string
  /** Stops the server, as `pg_ctl -m fast` or `-m immediate` does, until `comeBack`. */
  goDown(how: 'fast' | 'immediate'): Promise<void>
  /** Starts it again on the same port. */
  comeBack(): Promise<void>
  /** Stops the server and removes its files. They are removed as well when this process ends in any other way. */
  stop(): Promise<void>
}

/**
 * Makes a new, empty server in a temporary directory, and starts it.
 * @param address a further IPv4 address of this machine on which it listens, for clients of its /24 network
 */
export async function startLocalPostgres(
  { directory, origin }: PostgresBinaries,
  address?: string,
): Promise<LocalPostgres> {
  const keeper = fork(join(import.meta.dirname, 'postgres-keeper.ts'), [directory, ...(address ? [address] : [])], {
    // Ctrl-C in the terminal of the tests must not stop the server before them
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(keeper, 'exit')
  const message = await Promise.race([
    once(keeper, 'message').then(([sent]) => sent as KeeperMessage), // it sends nothing else
    ended.then(([code]): KeeperMessage => ({ error: `its keeper ended with ${code}` })),
  ])
  const ordered = async (order: KeeperOrder) => {
    keeper.send(order)
    const [answer] = (await once(keeper, 'message')) as [KeeperMessage]
    if ('error' in answer) throw new Error(answer.error)
  }
  if ('isStopped' in message) throw new Error('it was stopped at once')
  if ('error' in message) throw new Error(`Postgres of ${origin} could not be started: ${message.error}`)
  // neither may keep a process alive that forgets to stop the server
  keeper.unref()
  keeper.channel?.unref()
  return {
    ...message,
    goDown: ordered,
    comeBack: () => ordered('start'),
    async stop() {
      keeper.ref()
      keeper.disconnect()
      await ended
    },
  }
}
