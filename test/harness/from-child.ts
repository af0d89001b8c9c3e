import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Waits for what a process emits next. Throws, with what `ended` says, where it is gone before. */
export async function nextFrom(child: ChildProcess, event: string, ended: () => string): Promise<unknown[]> {
  const over = new AbortController()
  try {
    const gone = once(child, 'exit', { signal: over.signal }).then(() => {
      throw new Error(ended())
    })
    return await Promise.race([once(child, event, { signal: over.signal }), gone])
  } finally {
    over.abort()
  }
}
