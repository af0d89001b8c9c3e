/** Removes secrets from texts and errors. */
export interface Redactor {
  text(text: string): string
  /** A copy of another library's error with its name, code, message and causes only. */
  cause(error: unknown): unknown
}

const MAX_DEPTH = 8

/** A redactor that knows every encoding in which a secret is sent. `secrets` may grow. */
export function redactor(secrets: () => Iterable<string>): Redactor {
  const text = (from: string): string =>
    [...secrets()].flatMap(spellingsOf).reduce((result, spelling) => result.replaceAll(spelling, '[token]'), from)
  return { text, cause: (error) => copy(error, text, 0) }
}

function spellingsOf(secret: string): string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
}

function copy(error: unknown, text: (from: string) => string, depth: number): unknown {
  if (!(error instanceof Error)) return error === undefined || error === null ? error : text(String(error))
  const causes = depth < MAX_DEPTH ? causesOf(error).map((cause) => copy(cause, text, depth + 1)) : []
  const options = causes[0] === undefined ? undefined : { cause: causes[0] }
  const result =
    causes.length > 1 ? new AggregateError(causes, text(error.message)) : new Error(text(error.message), options)
  result.name = text(error.name)
  result.stack = text(error.stack ?? `${error.name}: ${error.message}`)
  const code = ownCode(error)
  return code === undefined ? result : Object.assign(result, { code: text(code) })
}

/** The causes of an error: its cause, or the errors of each address that was tried. */
function causesOf(error: Error): unknown[] {
  if (error instanceof AggregateError) return error.errors
  return error.cause === undefined ? [] : [error.cause]
}

/** `code` of an error of Node or undici, such as `ECONNRESET`; its own, or else that of a cause. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > MAX_DEPTH) return undefined
  const own = ownCode(error)
  if (own !== undefined) return own
  for (const cause of causesOf(error)) {
    const code = codeOf(cause, depth + 1)
    if (code !== undefined) return code
  }
  return undefined
}

function ownCode(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
