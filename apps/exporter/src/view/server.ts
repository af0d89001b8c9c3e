import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type CheckedFile, isBagError, openChecked } from '@collab-etl/bagit'
import { CliError } from '@collab-etl/cli'
import { type KnownScripts, knownScripts } from '@collab-etl/documents/html/parts'
import { type Access, isSame, replyTo } from './requests.ts'
import { isDataScript } from './scripts.ts'
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
  /** Called when a script is not sent because this program did not write it; `path` is relative to `data/`. */
  readonly onForeignScript: (path: string) => void
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
 * Pages have a stricter policy of their own, too. This one holds for the pages of any backup, whoever made it: they run no scripts but those of
 * this program, load nothing from other places, send no forms, and are shown in no frame.
 */
function policyFor({ inline }: KnownScripts): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline.map((digest) => `'sha256-${digest}'`)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Bytes of a script at most; those of this program have about a hundredth. */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024

const NO_REPORT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>No report</title></head>
<body><h1>No report</h1>
<p>A version of collab-export that made no reports wrote this backup. <a href="backup.json">backup.json</a> says what it holds, and the
<a href="html/index.html">list of projects</a> shows it.</p></body></html>
`

const HEADERS = {
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
export async function serveSite(site: Site, { port, onDamage, onForeignScript }: ServerOptions): Promise<SiteServer> {
  const scripts = await knownScripts()
  const policy = policyFor(scripts)
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
    response.setHeader('Content-Security-Policy', policy)
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const reply = replyTo(request, files, who)
    if (reply.kind === 'file') return await sendFile(request, response, reply.path, reply.found)
    if (reply.kind === 'redirect') return void response.writeHead(302, { Location: reply.to }).end()
    if (reply.kind === 'no-report') {
      return void response.writeHead(200, { 'Content-Type': TYPES['.html'] }).end(NO_REPORT)
    }
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
    const content = extname(path) === '.js' ? await scriptOf(checked, file) : checked.content
    if (content === null) {
      onForeignScript(path)
      sendText(response, 403, 'This program did not write the script: it is not run.')
      return
    }
    response.writeHead(200, {
      'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
      'Content-Length': checked.bytes,
    })
    if (method === 'HEAD') response.end()
    else if (Buffer.isBuffer(content)) response.end(content)
    else await pipeline(withheld(content), response)
  }

  /** A script that may run: one of this program, or one that is only data. `null` for any other. */
  async function scriptOf({ bytes, content }: CheckedFile, { sha256 }: SiteFile['file']): Promise<Buffer | null> {
    if (bytes > MAX_SCRIPT_BYTES) return null
    const script = Buffer.isBuffer(content) ? content : await buffer(content)
    return scripts.files.has(sha256) || isDataScript(script.toString()) ? script : null
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
