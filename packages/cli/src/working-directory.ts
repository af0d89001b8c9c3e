/**
 * Whether the working directory exists; if not, says so on stderr (and as the document of `--json`) and sets exit code 2. To be
 * asked before anything else is loaded: many modules ask for the directory as they load, and fail with a stack trace.
 */
export function hasWorkingDirectory(program: string): boolean {
  try {
    process.cwd()
    return true
  } catch {
    const message = 'the working directory was removed: change to one that exists (cd)'
    if (process.argv.includes('--json')) {
      process.stdout.write(`${JSON.stringify({ error: { code: 'USAGE', message, exit_code: 2 } })}\n`)
    }
    process.stderr.write(`${program}: ${message}\n`)
    process.exitCode = 2
    return false
  }
}
