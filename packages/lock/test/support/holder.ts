import { takeLock } from '../../src/index.ts'

// Takes a lock: `holder.ts PATH [without-os-lock]`. Prints the result as one line of JSON, checks the lock for each line of its
// input, and releases it at the end of the input.
const [path = '', mode] = process.argv.slice(2)
const withoutOsLock = { osLock: async () => 'unsupported' as const }
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

try {
  const lock = await takeLock(path, {
    beatMs: 20,
    watchMs: 300,
    settleMs: 10,
    ...(mode === 'without-os-lock' && withoutOsLock),
  })
  say({ taken: true })
  for await (const _ of process.stdin) {
    try {
      lock.check()
      say({ held: true })
    } catch (error) {
      say({ held: false, message: String(error) })
    }
  }
  await lock.release()
} catch (error) {
  say({ taken: false, message: String(error) })
}
