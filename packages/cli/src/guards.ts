import type { Secret } from './secret.ts'

/** Permissions of all users but the owner. */
const OTHERS = 0o077

/** Protects what the process writes; called before a command runs. */
export function guardProcess(): void {
  // Files hold what the token may read: no other user of this machine may read them.
  process.umask(process.umask() | OTHERS)
  // Node's crash reports would hold the environment, with PGPASSWORD.
  process.report.excludeEnv = true
}

/** The secrets that are taken out of each stream, by their value. */
const guarded = new WeakMap<NodeJS.WriteStream, Map<string, Secret>>()

/**
 * Removes secrets from everything that is written to a stream, also by Node: traces of NODE_DEBUG hold addresses with tokens.
 * It lasts as long as the process, as output of a run may follow its end. Further runs add their secrets.
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
