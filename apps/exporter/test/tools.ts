import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Programs of others that open what we write, and the Debian packages that bring them. */
const PACKAGES = {
  age: 'age',
  bsdtar: 'libarchive-tools',
  python3: 'python3',
  sha256sum: 'coreutils',
  tar: 'tar',
  unzip: 'unzip',
  zstd: 'zstd',
} as const

export type Tool = keyof typeof PACKAGES

/** Whether tests with this program run: wherever it is installed, and always in CI, where its want is a failure. */
export function hasTool(tool: Tool): boolean {
  if (process.env['CI'] === 'true') return true
  try {
    execFileSync('which', [tool], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write(`left out: tests with ${tool}, which is not installed (apt-get install ${PACKAGES[tool]})\n`)
    return false
  }
}

/** Runs a script of such programs to its end, in a folder. */
export async function shell(cwd: string, script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd })
  return stdout
}
