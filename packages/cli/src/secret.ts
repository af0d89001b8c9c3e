import { inspect } from 'node:util'

/** Shorter values may be parts of ordinary words; replacing those would garble messages without hiding anything. */
const MIN_SCRUBBED_LENGTH = 8

/**
 * A value that is never shown: not by `String()`, JSON, `util.inspect`, a log or an error.
 * `reveal()` is the only way to it.
 */
export class Secret {
  readonly #value: string
  readonly #shown: string
  readonly #parts: readonly string[]

  /**
   * @param shown the text that is shown instead
   * @param parts pieces of the value that are secret by themselves, such as the password of an address
   */
  constructor(value: string, shown = '[secret]', parts: readonly string[] = []) {
    this.#value = value
    this.#shown = shown
    this.#parts = parts.filter((part) => part.length >= MIN_SCRUBBED_LENGTH && !shown.includes(part))
  }

  /** The value itself, for the code that needs it. */
  reveal(): string {
    return this.#value
  }

  /** The text with every occurrence of the value replaced, for texts of others, such as a driver's message. */
  scrub(text: string): string {
    // a lone surrogate cannot be encoded
    const values = [this.#value, encodeURIComponent(this.#value.toWellFormed())].filter(
      (value) => value.length >= MIN_SCRUBBED_LENGTH,
    )
    let clean = text
    for (const value of values) clean = clean.replaceAll(value, this.#shown)
    for (const part of this.#parts) clean = clean.replaceAll(part, '***')
    return clean
  }

  toString(): string {
    return this.#shown
  }

  toJSON(): string {
    return this.#shown
  }

  [inspect.custom](): string {
    return this.#shown
  }
}

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
