import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'vitest'
import { type Message, Messages } from './wire.ts'

/**
 * What happens to a message and its connection:
 * - `pass`: it is forwarded
 * - `cut`: both ends are closed regularly, and the message is lost; `reset`: the same with a reset
 * - `sever`: the server's end is closed without notice to the client, as by a firewall that drops connections
 */
export type Verdict = 'pass' | 'cut' | 'reset' | 'sever'

export interface Seen extends Message {
  /** What was sent on its connection since the transaction began. */
  readonly statements: readonly string[]
  readonly link: Link
}

interface Trap {
  readonly what: string
  readonly matches: (seen: Seen) => boolean
  readonly act: (seen: Seen) => Verdict | Promise<Verdict>
}

/** A proxy between clients and a Postgres server that parses the protocol and disturbs selected messages. */
export class PostgresProxy {
  readonly #server: Server
  readonly #target: URL
  readonly #links = new Set<Link>()
  readonly #traps = new Set<Trap>()
  readonly #failures: unknown[] = []
  #refuses = false
  /** Set while nothing is forwarded. */
  #frozen: PromiseWithResolvers<void> | undefined
  /** Replacement in the server's answers, of the same length. */
  #rewritten: readonly [from: string, to: string] | undefined

  private constructor(server: Server, target: URL) {
    this.#server = server
    this.#target = target
    server.on('connection', (client) => {
      if (this.#refuses) client.resetAndDestroy()
      else this.#link(client)
    })
  }

  /** @param url database URL of the server, or of one of its databases */
  static async start(url: string): Promise<PostgresProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new PostgresProxy(server, new URL(url))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw()
    for (const link of this.#links) link.close('reset')
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Database URL through this proxy, which reads what is sent in clear. */
  url(of: string): string {
    const url = new URL(of)
    url.hostname = '127.0.0.1'
    // the address of a TCP server is an object
    url.port = String((this.#server.address() as AddressInfo).port)
    // as text: `searchParams` would write spaces as +, which psql does not read
    url.search = `${url.search === '' ? '?' : `${url.search}&`}sslmode=disable`
    return url.href
  }

  /** Sets a trap for the first matching message. A fault must spring all its traps: see `expectSprung`. */
  once(what: string, matches: Trap['matches'], act: Verdict | Trap['act']): void {
    this.#traps.add({ what, matches, act: typeof act === 'string' ? () => act : act })
  }

  /** Fails if a trap was not sprung, or its action failed. */
  expectSprung(): void {
    for (const error of this.#failures) throw error
    expect(
      [...this.#traps].map(({ what }) => what),
      'what never came',
    ).toEqual([])
  }

  /** Replaces a text in the server's answers by another of the same length. */
  rewrite(from: string, to: string): void {
    expect(to).toHaveLength(from.length)
    this.#rewritten = [from, to]
  }

  /** Resets all connections except severed ones. */
  cutAll(): void {
    for (const link of this.#links) if (!link.isSevered) link.close('reset')
  }

  /** Behaves like a server that is down: resets all existing and new connections. */
  goDown(): void {
    this.#refuses = true
    this.cutAll()
  }

  comeBack(): void {
    this.#refuses = false
  }

  /** Stops forwarding in both directions without closing a connection, as a broken network does. New connections get no answer. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers()
  }

  /** Forwards what was held back. */
  thaw(): void {
    this.#frozen?.resolve()
    this.#frozen = undefined
  }

  #link(client: Socket): void {
    const server = connect({ host: this.#target.hostname, port: Number(this.#target.port || 5432) })
    const link = new Link(client, server)
    this.#links.add(link)
    client.once('close', () => {
      this.#links.delete(link)
      // data still held back for it is discarded
      if (!link.isSevered && this.#frozen === undefined) server.destroySoon()
    })
    link.pump('client', (seen) => this.#judge(seen))
    link.pump('server', (seen) => this.#judge(seen))
  }

  async #judge(seen: Seen): Promise<{ verdict: Verdict; raw: Buffer }> {
    for (const trap of this.#traps) {
      if (!trap.matches(seen)) continue
      this.#traps.delete(trap)
      try {
        const verdict = await trap.act(seen)
        await this.#frozen?.promise
        return { verdict, raw: seen.raw }
      } catch (error) {
        this.#failures.push(error)
        return { verdict: 'cut', raw: seen.raw }
      }
    }
    await this.#frozen?.promise
    if (seen.from === 'client' || this.#rewritten === undefined) return { verdict: 'pass', raw: seen.raw }
    const [from, to] = this.#rewritten
    return { verdict: 'pass', raw: Buffer.from(seen.raw.toString('latin1').replaceAll(from, to), 'latin1') }
  }
}

/** One connection: two sockets. */
export class Link {
  readonly #client: Socket
  readonly #server: Socket
  #statements: readonly string[] = []
  isSevered = false

  constructor(client: Socket, server: Socket) {
    this.#client = client
    this.#server = server
    // the `close` event reports broken connections
    for (const socket of [client, server]) socket.on('error', () => {}).setNoDelay()
  }

  close(how: 'cut' | 'reset'): void {
    for (const socket of [this.#client, this.#server]) {
      if (how === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    }
  }

  /** Forwards the messages of one side in order, until the connection ends. */
  pump(from: Message['from'], judge: (seen: Seen) => Promise<{ verdict: Verdict; raw: Buffer }>): void {
    const [source, target] = from === 'client' ? [this.#client, this.#server] : [this.#server, this.#client]
    const messages = new Messages(from)
    const pumped = async () => {
      for await (const piece of source) {
        for (const message of messages.add(piece as Buffer)) {
          // a Buffer, because no encoding is set
          if (from === 'client' && message.text !== '') this.#note(message.text)
          const { verdict, raw } = await judge({ ...message, statements: this.#statements, link: this })
          if (verdict === 'cut' || verdict === 'reset') this.close(verdict)
          if (verdict === 'sever') this.sever()
          if (this.isSevered || verdict !== 'pass') continue
          target.write(raw)
        }
      }
    }
    // the end of one side ends the other, unless the connection was severed
    const end = () => {
      if (from === 'client' || !this.isSevered) target.destroySoon()
    }
    pumped().then(end, end)
  }

  #note(text: string): void {
    const begun = this.#statements[0]?.startsWith('BEGIN') && this.#statements.at(-1) !== 'COMMIT'
    this.#statements = begun ? [...this.#statements, text] : [text]
  }

  /** Closes the server's end without notice to the client. */
  sever(): void {
    this.isSevered = true
    this.#server.destroy()
  }
}
