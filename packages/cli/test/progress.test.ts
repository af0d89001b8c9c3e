import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createProgress } from '../src/progress.ts'

/** A terminal that remembers what was written to it. */
class Screen extends Writable {
  readonly columns = 20
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

test('lines are redrawn in place, cut to the terminal, and harmless', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  const first = progress.line('Project \u001b[2Jone with a long title')
  const second = progress.line('设计设计设计设计设计设计')
  await until(() => screen.text.includes('\n'))
  expect(screen.text).toBe('Project one with a…\n设计设计设计设计设…\n')

  screen.text = ''
  first.update('half')
  await until(() => screen.text.includes('half'))
  expect(screen.text.startsWith('\u001b[2A\u001b[1G\u001b[0J')).toBe(true)

  screen.text = ''
  first.end()
  second.end()
  expect(screen.text).toBe('\u001b[2A\u001b[1G\u001b[0J')
  await sleep(150)
  expect(screen.text).not.toContain('half')
})

test('what is written in between finds the lines cleared, and clearing twice clears once', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  progress.line('one')
  await until(() => screen.text.includes('one'))
  screen.text = ''
  progress.clear()
  progress.clear()
  expect(screen.text).toBe('\u001b[1A\u001b[1G\u001b[0J')
  progress.stop()
})

test('of many lines a few are shown, and how many more there are', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  for (let i = 0; i < 30; i++) progress.line(`line ${i}`)
  await until(() => screen.text.includes('more'))
  expect(screen.text.trimEnd().split('\n')).toHaveLength(9)
  expect(screen.text).toContain('… and 22 more')
  progress.stop()
})

test('what is over at once is never drawn', async () => {
  const screen = new Screen()
  const progress = createProgress(screen)
  progress.line('one').end()
  await sleep(500)
  expect(screen.text).toBe('')
})
