import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { TaskList } from './task-list.ts'
import { TOKEN_VARIABLE, type World } from './world.ts'

// The service of the benches, in its own process: `node server.ts WORLD`. It is controlled by messages and ends with its parent.

// Passed by `start-source.ts`.
const world = JSON.parse(process.argv[2] ?? '') as World
const token = process.env[TOKEN_VARIABLE]
const answers = new Answers(world)

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://source')
  const authorised = request.headers['access_token'] === token
  const answer =
    authorised && request.method === 'GET' ? answers.to(pathname.replace(/^\/v1/, ''), searchParams) : undefined
  // Ignore clients that disconnect.
  send(response, answer).catch(() => response.destroy())
})

async function send(response: ServerResponse, answer: TaskList | object | undefined): Promise<void> {
  if (world.latencyMs > 0) await setTimeout(world.latencyMs)
  const status = answer === undefined ? 404 : 200
  const { byteLength, total, pieces } = isList(answer)
    ? answer
    : whole(answer ?? { error_code: 400004, error_message: 'none' })
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': byteLength,
    'x-total-count': total,
  })
  for (const piece of pieces()) if (!response.write(piece)) await drained(response)
  response.end()
}

async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const onClose = () => gone.abort()
  response.once('close', onClose)
  try {
    await once(response, 'drain', { signal: gone.signal })
  } finally {
    response.off('close', onClose)
  }
}

function isList(answer: TaskList | object | undefined): answer is TaskList {
  return answer !== undefined && 'pieces' in answer
}

function whole(answer: object): TaskList {
  const bytes = Buffer.from(JSON.stringify(answer))
  return { byteLength: bytes.length, total: Array.isArray(answer) ? answer.length : 1, pieces: () => [bytes] }
}

process.on('message', (message: { changed: boolean }) => {
  answers.change(message.changed)
  process.send?.({ changed: message.changed })
})
process.on('disconnect', () => process.exit())

server.listen(0, '127.0.0.1', () => {
  // The address of a TCP server is an object.
  const { port } = server.address() as AddressInfo
  process.send?.({ baseUrl: `http://127.0.0.1:${port}` })
})
