/** A message of Postgres' wire protocol, version 3: how it is told and what it says, as far as the proxy has to know. */
export interface Message {
  readonly from: 'client' | 'server'
  /** Its letter; of the client's first, which has none, an empty text. */
  readonly type: string
  /** SQL of `Query` and `Parse`, the tag of `CommandComplete`; else empty. */
  readonly text: string
  readonly raw: Buffer
}

const LETTER = 1
const LENGTH = 4

/** Cuts what one side sends into messages, whatever the pieces in which it comes. */
export class Messages {
  readonly #from: Message['from']
  #rest: Buffer = Buffer.alloc(0)
  /** A client begins with a message that has no letter. */
  #isFirst: boolean

  constructor(from: Message['from']) {
    this.#from = from
    this.#isFirst = from === 'client'
  }

  /** The messages that are whole now. */
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
  // the statement's name stands before its text
  return type === 'P' ? (texts()[1] ?? '') : ''
}
