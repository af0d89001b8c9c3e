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

/** The secrets that are taken out of each stream, by their value. */
const guarded = new WeakMap<NodeJS.WriteStream, Map<string, Secret>>()

/**
 * Takes secrets out of all that is written to a stream, whoever writes it: traces of NODE_DEBUG hold addresses with tokens.
 * For as long as the process lives: what a run has begun may be told after its end. A further run adds what it has to hide.
 */
export function guardStream(stream: NodeJS.WriteStream, secrets: readonly Secret[]): void {
  const hidden = guarded.get(stream) ?? guard(stream)
  for (const secret of secrets) hidden.set(secret.reveal(), secret)
}

function guard(stream: NodeJS.WriteStream): Map<string, Secret> {
  const hidden = new Map<string, Secret>()
  guarded.set(stream, hidden)
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean // one of its overloads for each way to call it
  const scrubbed = (chunk: unknown) =>
    typeof chunk === 'string' ? [...hidden.values()].reduce((clean, secret) => secret.scrub(clean), chunk) : chunk
  stream.write = ((chunk: unknown, ...rest: unknown[]) => write(scrubbed(chunk), ...rest)) as typeof stream.write // as above
  return hidden
}
