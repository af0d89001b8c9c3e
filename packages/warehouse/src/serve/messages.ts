/** A message of the protocol of Postgres, whole. */
export interface Message {
  /** Its first byte, as a character. */
  readonly type: string
  /** What comes after the length. */
  readonly body: Buffer
  readonly bytes: Buffer
}

/** Largest message of a client, in bytes: before it has logged in, and after, when it sends statements and values. */
export const LARGEST = { before: 10_000, after: 16 * 1024 * 1024 }

/** Splits a stream of bytes into messages. */
export class MessageReader {
  /** Of a message, in bytes. */
  limit = LARGEST.before
  #chunks: Buffer[] = []
  #waiting = 0

  /** Bytes that are in no message that was given. */
  get waitingBytes(): number {
    return this.#waiting
  }

  add(bytes: Buffer): void {
    this.#waiting += bytes.length
    this.#chunks.push(bytes)
    // chunks stay few, and each byte is copied only a few times, for pieces of any size
    while ((this.#chunks.at(-2)?.length ?? Number.POSITIVE_INFINITY) <= (this.#chunks.at(-1)?.length ?? 0))
      this.#chunks.push(Buffer.concat(this.#chunks.splice(-2)))
  }

  /** The next message; `null` if not all of it is here. @param typed whether it has a type; that at the beginning has none. @throws RangeError if it is too large */
  next(typed: boolean): Message | null {
    const head = typed ? 1 : 0
    const length = this.#first(head + 4)?.readUInt32BE(head)
    if (length === undefined) return null
    if (length < 4 || length > this.limit)
      throw new RangeError(`a message of ${length} bytes: they may have ${this.limit}`)
    const first = this.#first(head + length)
    if (first === null) return null
    const bytes = first.subarray(0, head + length)
    this.#chunks[0] = first.subarray(head + length)
    this.#waiting -= bytes.length
    return { type: typed ? String.fromCharCode(bytes[0] ?? 0) : '', body: bytes.subarray(head + 4), bytes }
  }

  /** The first chunk, made to have so many bytes at least; `null` if fewer are here. */
  #first(bytes: number): Buffer | null {
    if (this.#waiting < bytes) return null
    let [first = Buffer.alloc(0)] = this.#chunks
    if (first.length < bytes) {
      first = Buffer.concat(this.#chunks)
      this.#chunks = [first]
    }
    return first
  }
}

/** A message of the server. Texts get their zero byte. */
export function message(type: string, ...parts: readonly (string | number | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`)
      if (typeof part !== 'number') return part
      const number = Buffer.alloc(4)
      number.writeInt32BE(part)
      return number
    }),
  )
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** An error in the form of Postgres. @param code SQLSTATE */
export function errorMessage(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}`, `V${severity}`, `C${code}`, `M${text}`, Buffer.from([0]))
}

/** A text that ends at a zero byte. */
export function textAt(body: Buffer, from: number): { readonly text: string; readonly end: number } {
  const zero = body.indexOf(0, from)
  const end = zero === -1 ? body.length : zero
  return { text: body.toString('utf8', from, end), end: end + 1 }
}

/** The messages of a complete answer of Postgres. */
export function messagesOf(answer: Buffer): Message[] {
  const reader = new MessageReader()
  reader.limit = Number.POSITIVE_INFINITY
  reader.add(answer)
  const messages: Message[] = []
  for (let next = reader.next(true); next !== null; next = reader.next(true)) messages.push(next)
  return messages
}

/** A field of an error, such as `C`, its code. */
export function fieldOf(error: Message, name: string): string | null {
  return (
    fieldsOf(error)
      .find((field) => field.startsWith(name))
      ?.slice(1) ?? null
  )
}

/** An error about a part of a longer text, with its position in that text. @param characters before the part */
export function movedError(error: Message, characters: number): Buffer {
  const fields = fieldsOf(error).map((field) =>
    field.startsWith('P') ? `P${Number(field.slice(1)) + characters}` : field,
  )
  return message('E', ...fields, Buffer.from([0]))
}

function fieldsOf({ body }: Message): string[] {
  const fields: string[] = []
  for (let at = 0; at < body.length && body[at] !== 0; ) {
    const { text, end } = textAt(body, at)
    fields.push(text)
    at = end
  }
  return fields
}

/** Finds where messages begin in an answer of Postgres, which comes in pieces of any size. */
export class AnswerReader {
  /** Status of the transaction when Postgres was last ready: `I` none, `T` open, `E` failed. */
  status = 'I'
  /** Whether an error came since. */
  hasError = false
  #head: number[] = []
  #left = 0

  /** Whether the bytes so far end with a complete message. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#head.length === 0
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, bytes.length - at)
        this.#left -= step
        at += step
        if (this.#left === 0 && this.#head[0] === READY) this.status = String.fromCharCode(bytes[at - 1] ?? 0)
        if (this.#left === 0) this.#head = []
      } else {
        this.#head.push(bytes[at++] ?? 0)
        if (this.#head.length === HEAD_BYTES) this.#begin()
      }
    }
  }

  #begin(): void {
    const [type, ...length] = this.#head
    this.#left = Buffer.from(length).readUInt32BE(0) - 4
    if (type === ERROR) this.hasError = true
    if (type === READY) this.hasError = false
    if (this.#left === 0) this.#head = []
  }
}

const HEAD_BYTES = 5
const READY = 0x5a
const ERROR = 0x45
