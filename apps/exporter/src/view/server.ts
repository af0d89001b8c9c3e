import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isBagError, openChecked } from '@collab-etl/bagit'
import { CliError } from '@collab-etl/cli'
import { type Access, isSame, replyTo } from './requests.ts'
import type { Site, SiteFile } from './site.ts'

/** A site that is served on this machine only. */
export interface SiteServer extends AsyncDisposable {
  readonly port: number
  /** The address of the site, with its token. */
  readonly url: string
  /** An address that leads to it once, to start a browser with. */
  readonly launchUrl: string
}

export interface ServerOptions {
  /** 0: a free one. */
  readonly port: number
  /** Called when a file is not sent because it differs from its manifest. */
  readonly onDamage: (error: Error) => void
}

const LOOPBACK = '127.0.0.1'

const TOKEN_BYTES = 24

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Pages have a stricter policy of their own, too. This one holds for the pages of any backup, whoever made it: they load nothing from other
 * places, send no forms, and are shown in no frame.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/**
 * Serves a site on 127.0.0.1 until it is disposed of. Only files of the site are served, each after its bytes were compared with the manifest.
 * @throws CliError if the port is taken
 */
export async function serveSite(site: Site, { port, onDamage }: ServerOptions): Promise<SiteServer> {
  const secret = () => randomBytes(TOKEN_BYTES).toString('base64url')
  const [token, launch] = [secret(), secret()]
  const hosts = new Set<string>()
  let isLaunched = false
  const takeLaunch = (given: string) => {
    const counts = isSame(given, launch) && !isLaunched
    if (counts) isLaunched = true
    return counts
  }
  const access: Access = { token, hosts, takeLaunch }
  const server = createServer((request, response) => {
    answer(request, response, site, access).catch((error: unknown) => {
      if (isBagError(error)) onDamage(error)
      if (!response.headersSent) return sendText(response, 500, 'The file cannot be read at the moment.')
      // The reader went away, or the file is damaged after its beginning was sent: the browser sees that it is cut.
      response.destroy()
    })
  })
  server.listen(port, LOOPBACK)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new CliError(`port ${port} on ${LOOPBACK} is taken: choose another with --port, or leave it out`, {
      cause: error,
    })
  }
  const { port: own } = server.address() as AddressInfo // it listens on a port
  for (const name of [LOOPBACK, 'localhost']) hosts.add(own === 80 ? name : `${name}:${own}`)
  const at = `http://${LOOPBACK}:${own}`
  return {
    port: own,
    url: `${at}/${token}/`,
    launchUrl: `${at}/${launch}/`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse, files: Site, who: Access): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const reply = replyTo(request, files, who)
    if (reply.kind === 'file') return await sendFile(request, response, reply.path, reply.found)
    if (reply.kind === 'redirect') return void response.writeHead(302, { Location: reply.to }).end()
    if (reply.kind === 'not-allowed') {
      return void sendText(response.setHeader('Allow', 'GET, HEAD'), 405, 'The backup can only be read.')
    }
    sendText(response, 404, 'There is no such page.')
  }

  async function sendFile(
    { method }: IncomingMessage,
    response: ServerResponse,
    path: string,
    { bag, file }: SiteFile,
  ): Promise<void> {
    let opened: Awaited<ReturnType<typeof openChecked>>
    try {
      opened = await openChecked(bag, file)
    } catch (error) {
      if (!isBagError(error)) throw error
      onDamage(error)
      sendText(response, 500, `${error.message}\n\nIt is not shown. collab-export verify lists all damage.`)
      return
    }
    using checked = opened
    response.writeHead(200, {
      'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
      'Content-Length': checked.bytes,
    })
    if (method === 'HEAD') response.end()
    else if (Buffer.isBuffer(checked.content)) response.end(checked.content)
    else await pipeline(withheld(checked.content), response)
  }
}

/** The same chunks, the last one only when all were compared with the manifest: a file that differs stays incomplete. */
async function* withheld(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let last: Buffer | null = null
  for await (const chunk of chunks) {
    if (last !== null) yield last
    last = chunk
  }
  if (last !== null) yield last
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
