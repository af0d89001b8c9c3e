import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { COPY_HEADER, COPY_TRAILER } from './binary-rows.ts'
import type { ReceiveRow } from './copy-rows.ts'
import type { Pieces } from './driver.ts'

/** Adds the header and the trailer of a binary COPY. */
export async function* framed(pieces: Pieces): AsyncGenerator<Buffer> {
  yield COPY_HEADER
  yield* pieces
  yield COPY_TRAILER
}

/** Leaves out the header and the trailer, whose bytes may be in any pieces. */
export async function* unframed(copy: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = COPY_HEADER.length
  let held: Buffer = Buffer.alloc(0)
  for await (const piece of copy) {
    const start = Math.min(piece.length, left)
    left -= start
    const rest = piece.subarray(start)
    const joined = rest.length < COPY_TRAILER.length ? Buffer.concat([held, rest]) : rest
    if (joined === rest && held.length > 0) yield held
    const end = Math.max(0, joined.length - COPY_TRAILER.length)
    if (end > 0) yield joined.subarray(0, end)
    held = joined.subarray(end)
  }
}

const PIECE_BYTES = 64 * 1024

/** Rows of a binary COPY in pieces. The caller may stop at any of them: then the copy fails, as after any error of what receives its rows. */
export async function* piecesOf(copy: (receive: ReceiveRow) => Promise<number>): AsyncGenerator<Buffer> {
  const pipe = new PassThrough({ highWaterMark: 4 * PIECE_BYTES })
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let length = 0
  const flush = () => {
    const full = piece.subarray(0, length)
    length = 0
    piece = Buffer.allocUnsafe(PIECE_BYTES)
    return full.length === 0 || pipe.write(full)
  }
  let room: Promise<void> | undefined
  const copied = copy((row) => {
    if (pipe.destroyed) throw new Error('the rows are not read any more')
    let hasRoom = true
    if (length + row.length > PIECE_BYTES) hasRoom = flush()
    if (row.length > PIECE_BYTES)
      hasRoom = pipe.write(Buffer.from(row)) // the bytes are valid during the call alone
    else length += row.copy(piece, length)
    if (hasRoom) return undefined
    room ??= once(pipe, 'drain').then(() => {
      room = undefined
    })
    return room
  })
    // a stream that is ended has no more room: the session would stay paused
    .then(() => room)
    .then(
      () => {
        flush()
        pipe.end()
      },
      (error: unknown) => void pipe.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  try {
    yield* unframed(pipe)
  } finally {
    // ends a wait for room, too
    if (!pipe.readableEnded && !pipe.errored)
      pipe.on('error', () => {}).destroy(new Error('the rows are not read any more'))
    await copied
  }
}
