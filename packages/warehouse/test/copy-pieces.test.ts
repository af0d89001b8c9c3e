import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { COPY_HEADER, COPY_TRAILER } from '../src/driver/binary-rows.ts'
import { piecesOf } from '../src/driver/copy-pieces.ts'

test('a pause that the last row asked for ends, although the copy ended before its reader came', async () => {
  const row = Buffer.alloc(2 ** 20, 'x')
  let pause: Promise<void> | undefined
  const pieces: Buffer[] = []
  const copy = piecesOf(async (receive) => {
    await receive(COPY_HEADER)
    await receive(row)
    pause = receive(row)
    await receive(COPY_TRAILER)
    return 2
  })
  for await (const piece of copy) {
    pieces.push(piece)
    await setImmediate()
  }
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat([row, row]))
  expect(pause).toBeInstanceOf(Promise)
  await pause
})
