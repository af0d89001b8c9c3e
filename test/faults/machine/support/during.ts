import type { Ran } from '@collab-etl/harness/commands'
import type { Sandbox } from '@collab-etl/sandbox'

/** Runs a command during the first request of another command, which is answered afterwards. */
export async function during<T>(
  { sandbox }: { readonly sandbox: Sandbox },
  other: () => Promise<Ran>,
  run: () => Promise<T>,
): Promise<[Ran, T]> {
  let running: Promise<T> | undefined
  const stop = sandbox.beforeRequest(async () => {
    if (running !== undefined) return
    running = run()
    await running
  })
  const ran = await other()
  stop()
  if (running === undefined) throw new Error('nothing was asked of the service')
  return [ran, await running]
}
