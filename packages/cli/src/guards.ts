import type { Secret } from './secret.ts'

/** Rights of everybody but the owner. */
const OTHERS = 0o077

/** What holds for every command before it does anything. */
export function guardProcess(): void {
  // What is written holds what the token may see, and that is nobody else's on this machine.
  process.umask(process.umask() | OTHERS)
  // Reports that Node writes of a crash would hold PGPASSWORD and whatever else the environment has.
  process.report.excludeEnv = true
}

/** Takes secrets out of all that is written to a stream, whoever writes it: traces of NODE_DEBUG hold addresses with tokens. */
export function guardStream(stream: NodeJS.WriteStream, secrets: readonly Secret[]): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean // one of its overloads for each way to call it
  const scrubbed = (chunk: unknown) =>
    typeof chunk === 'string' ? secrets.reduce((clean, secret) => secret.scrub(clean), chunk) : chunk
  stream.write = ((chunk: unknown, ...rest: unknown[]) => write(scrubbed(chunk), ...rest)) as typeof stream.write // as above
}
