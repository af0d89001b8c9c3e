import { run } from './commands.ts'

// Runs one command of a script (`scripts.ts`) in a command host.

const [command, ...args] = process.argv.slice(2) as ['collab-extract' | 'collab-export' | 'tap-collab', ...string[]] // given by `scripts.ts`
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(?:NODE_|COLLAB_TEST_)/.test(name) ? [] : [[name, value]],
  ),
)
const { code, stdout, stderr } = await run(command, args, { cwd: process.cwd(), env })
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code ?? 1
