/** A message of Postgres' wire protocol, version 3, as far as the proxy needs it. */
export interface Message {
  readonly from: 'client' | 'server'
  /** Type letter; empty for the first message of a client, which has none. */
  readonly type: string
  /** SQL of `Query` and `Parse`, the tag of `CommandComplete`; otherwise empty. */
  readonly text: string
  readonly raw: Buffer
}

const LETTER = 1
const LENGTH = 4

/** Splits a byte stream into messages, independent of its chunks. */
export class Messages {
  readonly #from: Message['from']
  #rest: Buffer = Buffer.alloc(0)
  /** The first message of a client has no letter. */
  #isFirst: boolean

  constructor(from: Message['from']) {
    this.#from = from
    this.#isFirst = from === 'client'
  }

  /** The messages that are complete now. */
  *add(piece: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, piece])
    for (;;) {
      const letter = this.#isFirst ? 0 : LETTER
      if (this.#rest.length < letter + LENGTH) return
      const size = letter + this.#rest.readUInt32BE(letter)
      if (this.#rest.length < size) return
      const raw = this.#rest.subarray(0, size)
      this.#rest = this.#rest.subarray(size)
      this.#isFirst = false
      const type = raw.toString('latin1', 0, letter)
      yield { from: this.#from, type, text: textOf(this.#from, type, raw.subarray(letter + LENGTH)), raw }
    }
  }
}

function textOf(from: Message['from'], type: string, body: Buffer): string {
  const texts = () => body.toString('utf8').split('\0')
  if (from === 'server') return type === 'C' ? (texts()[0] ?? '') : ''
  if (type === 'Q') return texts()[0] ?? ''
  // the name of the statement precedes its text
  return type === 'P' ? (texts()[1] ?? '') : ''
}
