import { FlagError, readFlags } from './command/flags.ts'
import { run } from './command/run.ts'
import { StateFileError } from './store/packed.ts'

const UNEXPECTED = 1
const USAGE = 2

try {
  const options = await readFlags(process.argv.slice(2), process.env)
  if (options) await run(options)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`collab-sandbox: ${message.replaceAll('\n', ' ')}\n`)
  process.exitCode = error instanceof FlagError || error instanceof StateFileError ? USAGE : UNEXPECTED
}
